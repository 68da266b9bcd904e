import { chromium } from 'playwright-core';
const b=await chromium.launch({executablePath:'/usr/bin/chromium',args:['--no-sandbox','--disable-gpu'],timeout:180000});
console.log('launched');
for(const scheme of ['light','dark']){const c=await b.newContext({viewport:{width:1440,height:1180},colorScheme:scheme});c.setDefaultTimeout(200000);const p=await c.newPage();
p.on('console',m=>console.log(scheme,m.type(),m.text()));p.on('pageerror',e=>console.log('ERR',String(e)));
p.on('requestfailed',r=>console.log('failed',r.url()));p.on('requestfinished',r=>console.log('fin',r.url()));
await p.goto('http://127.0.0.1:9911/',{waitUntil:'commit'});console.log('committed');await p.waitForSelector('#state.ready');await p.waitForSelector('#jobs tbody button');
await p.locator('#jobs tbody button').first().click();await p.waitForSelector('#partitions tbody tr');
await p.screenshot({path:`/tmp/mock/${scheme}.png`,fullPage:true});console.log('shot');}
await b.close();
