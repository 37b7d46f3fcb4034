import { testProjects } from './pages-projects.ts'

// The largest has a file, and with it a time limit, of its own.
testProjects((name) => name === 'mintlify-docs')
