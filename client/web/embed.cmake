# cmake -DOUT=assets.cpp -DFOLDER=page -P embed.cmake: the page's files as arrays of bytes behind find_asset().
file(GLOB files RELATIVE ${FOLDER} ${FOLDER}/*)
list(SORT files)
set(arrays "")
set(entries "")
set(n 0)
foreach(file IN LISTS files)
  file(READ ${FOLDER}/${file} hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
  if(file MATCHES "\\.html$")
    set(type "text/html; charset=utf-8")
  elseif(file MATCHES "\\.css$")
    set(type "text/css; charset=utf-8")
  elseif(file MATCHES "\\.js$")
    set(type "text/javascript; charset=utf-8")
  elseif(file MATCHES "\\.svg$")
    set(type "image/svg+xml")
  else()
    message(FATAL_ERROR "${file}: no content type is known for it")
  endif()
  string(APPEND arrays "constexpr char kFile${n}[] = {${bytes}};\n")
  string(APPEND entries "    {\"/${file}\", \"${type}\", {kFile${n}, ${size}}},\n")
  math(EXPR n "${n} + 1")
endforeach()
file(WRITE ${OUT} "// Made by client/web/embed.cmake.
#include \"client/web/assets.hpp\"

#include <array>

namespace groth16d::web {
namespace {
${arrays}
constexpr std::array<Asset, ${n}> kAssets{{
${entries}}};
}  // namespace

const Asset* find_asset(std::string_view path) {
  for (const Asset& asset : kAssets)
    if (asset.path == path) return &asset;
  return nullptr;
}
}  // namespace groth16d::web
")
