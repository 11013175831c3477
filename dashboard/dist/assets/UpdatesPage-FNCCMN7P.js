import{a,b}from"./chunk-NPERHPI6.js";import"./chunk-ERVXTUZM.js";import"./chunk-NIMVDA77.js";import"./chunk-WZAGSDEG.js";export{b as RolloutState,a as UpdatesPage};
