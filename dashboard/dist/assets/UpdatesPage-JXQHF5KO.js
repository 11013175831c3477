import{a,b}from"./chunk-S3KZ7Y2L.js";import"./chunk-ZDNYDFMI.js";import"./chunk-FN4K5SIT.js";import"./chunk-GLTGMJCX.js";export{b as RolloutState,a as UpdatesPage};
