import{W as s,ea as i}from"./chunk-V5SM3VHA.js";function m(){let e=s("sites.list",{});return r=>{let t=e.data?.find(n=>n.id===r);return t?t.name||i(t.url):"a site that is gone"}}export{m as a};
