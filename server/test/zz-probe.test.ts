import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { aWorld, type TestWorld } from './world.ts'
let here: TestWorld, w: {token:string}, s: {id:string}
before(async()=>{ here = await aWorld(); w = await here.token('write'); s = await here.site() })
after(()=>here.close())
const errs = () => here.logs.filter(l => JSON.parse(l).level >= 50).map(l=>l.slice(0,300))
test('nul in path', async()=>{
  const a = await here.rest('GET','/api/v1/sites/a%00b',{token:w.token}); console.log(a.status,a.text.slice(0,200))
  await new Promise(r=>setTimeout(r,1300)); console.log(errs().slice(0,3), errs().length)
})
test('write nul', async()=>{
  for (const body of ['{"summary":"x \\ud800 y"}','{"summary":"x","performed_by":"a\\u0000"}','{"summary":"x","performed_by":"a\\ud800"}','{"summary":"x","__proto__":{"a":1}}','{"summary":"x","notes":"a\\u0000"}']) {
    const a = await here.rest('POST',`/api/v1/sites/${s.id}/activity`,{token:w.token,body}); console.log(a.status,a.text.slice(0,200)) }
  const b = await here.rest('POST',`/api/v1/sites/${s.id}/actions`,{token:w.token,body:'{"action":"update","plugins":["a\\ud800"]}'}); console.log(b.status,b.text.slice(0,300))
  const c = await here.rest('GET',`/api/v1/jobs?type=%00`,{token:w.token}); console.log(c.status,c.text.slice(0,300))
  const d = await here.rest('GET',`/api/v1/activity?cursor=%00`,{token:w.token}); console.log(d.status,d.text.slice(0,300))
})
test('mcp init', async()=>{
  const a = await here.rest('POST','/api/mcp',{token:w.token,body:{jsonrpc:'2.0',id:1,method:'initialize',params:{protocolVersion:{toString:1,valueOf:1}}}}); console.log(a.status,a.text.slice(0,200))
})
test('fleet race', async()=>{
  let bad=0
  for (let i=0;i<50;i++){ here.world.fleet.forget(here.workspaceId)
   const [,r]=await Promise.all([here.rest('GET','/api/v1/sites',{token:w.token}),here.rest('GET','/api/v1/sites/'+s.id,{token:w.token})]); if(r.status!==200) bad++ }
  console.log('bad', bad)
})
test('pool', async()=>{
  const t=performance.now()
  const r=await Promise.all(Array.from({length:100},(_,i)=>here.rest('POST',`/api/v1/sites/${s.id}/activity`,{token:w.token,body:{summary:'n'+i}})))
  const by: Record<number,number>={}; for(const x of r) by[x.status]=(by[x.status]??0)+1
  console.log('pool',by,performance.now()-t, errs().slice(-2))
})
