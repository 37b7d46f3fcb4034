import { objectStoreContract } from './testing.ts'

objectStoreContract()
