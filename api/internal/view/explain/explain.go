// Package explain tells who would be paged, and why: what escalation foresees, with the
// names of people and contacts, as the API answers it. It only reads, and pages nobody.
// Entry file: explain.go; why.go tells of pages that were sent.
package explain
