import{a,b}from"./chunk-YHGWFYHI.js";import"./chunk-XNNXITKS.js";import"./chunk-STNFSXNY.js";import"./chunk-V5SM3VHA.js";export{b as RolloutState,a as UpdatesPage};
