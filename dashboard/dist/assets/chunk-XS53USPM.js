var o=()=>{};export{o as a};
