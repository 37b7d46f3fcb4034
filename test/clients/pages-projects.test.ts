import { testProjects } from './pages-projects.ts'

testProjects((name) => name !== 'mintlify-docs')
