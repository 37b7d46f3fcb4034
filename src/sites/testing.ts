export { beginRelease, completeRelease, createRelease, listReleases } from './releases-store.ts'
