package demo

import "github.com/nightbell/nightbell/api/internal/auth"

// orgName is the company whose nights the workspace shows.
const orgName = "Fernhill"

// Addresses end in .example, which no mail server will ever accept mail for (RFC 2606).
const mailDomain = "@nightbell.example"

// owner is who signs in to the demo, by the name that the tables use.
const owner = "Mara"

type samplePerson struct {
	// first is the name that the other tables use.
	first, family string
	// mail is the part of the address before mailDomain.
	mail     string
	role     auth.Role
	timezone string
}

func (p samplePerson) name() string  { return p.first + " " + p.family }
func (p samplePerson) email() string { return p.mail + mailDomain }

// people in the order in which they joined.
var people = []samplePerson{
	{owner, "Lindqvist", "mara", auth.Owner, "Europe/Berlin"},
	{"Jonas", "Okafor", "jonas", auth.Admin, "Europe/Dublin"},
	{"Priya", "Raman", "priya", auth.Responder, "Asia/Kolkata"},
	{"Tomás", "Herrera", "tomas", auth.Responder, "Europe/Madrid"},
	{"Wei", "Chen", "wei", auth.Responder, "Asia/Shanghai"},
	{"Amira", "Haddad", "amira", auth.Responder, "Europe/Paris"},
	{"Lena", "Fischer", "lena", auth.Admin, "Europe/Berlin"},
	{"Sam", "Whitfield", "sam", auth.Viewer, "America/New_York"},
}

type sampleTeam struct {
	name, description string
	members           []string
}

var teams = []sampleTeam{
	{"Payments", "Checkout, cards and the ledger", []string{"Mara", "Priya", "Amira"}},
	{"Platform", "What every service stands on", []string{"Jonas", "Tomás", "Wei"}},
	{"Identity", "Sign-in, sessions and permissions", []string{"Priya", "Amira"}},
	{"Infrastructure", "Networks, databases and storage", []string{"Tomás", "Wei"}},
	{"Support", "First to hear from customers", []string{"Lena", "Amira"}},
}
