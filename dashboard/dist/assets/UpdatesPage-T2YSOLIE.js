import{a,b}from"./chunk-EDMXPD36.js";import"./chunk-VYEDLCV7.js";import"./chunk-EQLCSZCK.js";import"./chunk-5VO6INCZ.js";export{b as RolloutState,a as UpdatesPage};
