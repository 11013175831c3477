function e(){return typeof process<"u"&&process.env,"development"}export{e as a};
