// Every world there is.
import { files } from './files.ts'
import { hosts } from './hosts.ts'
import { places } from './places.ts'
import { tables } from './tables.ts'
import { troubles } from './troubles.ts'
import type { World } from './world.ts'

export const worlds: World[] = [...places, ...tables, ...files, ...hosts, ...troubles]
