/** What a host allows: `cheap` is the native fleet's own, 1 MiB bodies, 128 MB, 10 s; `ordinary` is what most hosters give. */
export const HOSTS = {
  cheap: {},
  ordinary: { bodies: '64m', php: { memory_limit: '256M', max_execution_time: '30', post_max_size: '64M', upload_max_filesize: '64M' } },
}
export type Host = keyof typeof HOSTS
