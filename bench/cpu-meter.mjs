// Loaded with --import into a process that is measured: asked over IPC, it says what it has spent.
process.on('message', () => process.send?.(process.cpuUsage()))
process.channel?.unref()
