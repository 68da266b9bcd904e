# Makes groth16d.toml(5) of the shipped groth16d.toml: comments are the text, "#key = value" names a key and its default.
function roff(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  return (text ~ /^[.']/) ? "\\&" text : text
}
function flush_text() {
  if (text != "") print roff(text)
  text = ""
}
BEGIN {
  print ".TH groth16d.toml 5 \"\" \"groth16d\" \"File Formats\""
  print ".SH NAME\ngroth16d.toml \\- configuration of the Groth16 proving daemon"
  print ".SH SYNOPSIS\n.I /etc/groth16d/groth16d.toml\n.SH DESCRIPTION"
}
/^# / { text = text (text == "" ? "" : " ") substr($0, 3); next }
/^#$/ { flush_text(); print ".PP"; next }
/^\[/ { gsub(/[][]/, ""); print ".SH \"TABLE " $0 "\""; flush_text(); next }
/^#[a-z0-9_]+ = / {
  if (!keys++) print ".SH KEYS"
  split(substr($0, 2), parts, " = ")
  print ".TP\n.B " roff(parts[1]) "\n(default: " roff(parts[2]) ")"
  print ".br"
  flush_text()
  next
}
/^$/ { if (text != "") flush_text() }
END { print ".SH SEE ALSO\n.BR groth16d (8),\n.BR groth16ctl (1)" }
