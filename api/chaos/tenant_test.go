//go:build chaos

package chaos

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"
)

const (
	password = "nine lamps under the bridge"
	aDay     = 86_400 // the longest delay of a step, in seconds: no step follows by itself
)

// tenant is an organization with one service. Its name begins every alert it sends.
type tenant struct {
	t        *testing.T
	name     string
	url      string // of the API that it calls
	token    string
	key      string // of its service
	policyID string
}

// step is one step of a policy: who is paged, by contact, and for how long it waits.
type step struct {
	delay    int
	contacts []string
}

// newTenant makes an organization whose service pages by the steps. Each contact is a
// shared webhook at the providers, named <tenant>-<contact>, except "mail".
func (w *world) newTenant(name string, steps ...step) *tenant {
	w.t.Helper()
	o := &tenant{t: w.t, name: name, url: w.nodes[0].url}
	o.call("POST", "/v1/auth/register", map[string]string{
		"user_type": "organization", "name": "Mara of " + name, "email": name + "@example.org", "password": password, "org_name": name,
	}, nil)
	var in struct {
		Tokens struct {
			AccessToken string `json:"access_token"`
		}
	}
	o.call("POST", "/v1/auth/login", map[string]string{"email": name + "@example.org", "password": password}, &in)
	o.token = in.Tokens.AccessToken
	contacts := map[string]string{}
	var spelled []map[string]any
	for _, s := range steps {
		var targets []map[string]string
		for _, contact := range s.contacts {
			if contacts[contact] == "" {
				contacts[contact] = o.newContact(contact, w.providers.URL+"/"+name+"-"+contact)
			}
			targets = append(targets, map[string]string{"kind": "channel", "id": contacts[contact]})
		}
		spelled = append(spelled, map[string]any{"delay_seconds": s.delay, "targets": targets})
	}
	var policy struct {
		Policy struct{ ID string } `json:"escalation_policy"`
	}
	o.call("POST", "/v1/escalation-policies", map[string]any{"name": "Paging of " + name, "steps": spelled}, &policy)
	o.policyID = policy.Policy.ID
	o.key = o.newService("Service of " + name)
	w.tenants = append(w.tenants, o)
	return o
}

func (o *tenant) newContact(contact, address string) (contactID string) {
	o.t.Helper()
	kind := "webhook"
	if contact == "mail" {
		kind, address = "email", "night@"+o.name+".example.org"
	}
	var made struct {
		ContactMethod struct{ ID string } `json:"contact_method"`
	}
	o.call("POST", "/v1/contact-methods", map[string]any{"kind": kind, "name": address, "address": address, "shared": true}, &made)
	return made.ContactMethod.ID
}

func (o *tenant) newService(name string) (serviceKey string) {
	o.t.Helper()
	var made struct {
		ServiceKey string `json:"service_key"`
	}
	o.call("POST", "/v1/services", map[string]string{"name": name, "escalation_policy_id": o.policyID}, &made)
	return made.ServiceKey
}

// call calls the API; any answer but 2xx fails the test.
func (o *tenant) call(method, path string, body, answer any) {
	o.t.Helper()
	status, text, err := o.try(method, path, body)
	if err != nil || status/100 != 2 {
		o.t.Fatalf("%s %s: %d %s %v", method, path, status, text, err)
	}
	if answer == nil {
		return
	}
	if err := json.Unmarshal(text, answer); err != nil {
		o.t.Fatalf("%s %s answered %s: %v", method, path, text, err)
	}
}

// try calls the API and gives whatever it answers.
func (o *tenant) try(method, path string, body any) (status int, answer []byte, err error) {
	encoded, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	request, err := http.NewRequest(method, o.url+path, bytes.NewReader(encoded))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if o.token != "" {
		request.Header.Set("Authorization", "Bearer "+o.token)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}

// client keeps connections for as many senders as any scenario has.
var client = &http.Client{
	Timeout:   30 * time.Second,
	Transport: &http.Transport{MaxIdleConnsPerHost: 128, IdleConnTimeout: 10 * time.Second},
}

// alertKey names the nth alert of a tenant; it is the title of alert and incident.
func (o *tenant) alertKey(n int) string { return fmt.Sprintf("%s-%06d", o.name, n) }

// firing is what Alertmanager posts for an alert; its start is always the same.
func firing(key string) []byte { return message(key, "firing", "") }

// resolved is the end of that alert.
func resolved(key string) []byte {
	return message(key, "resolved", `,"endsAt":"2026-01-01T01:00:00Z"`)
}

func message(key, status, end string) []byte {
	return fmt.Appendf(nil, `{"version":"4","status":%q,"alerts":[{"status":%[1]q,"labels":{"alertname":"Chaos","instance":%q,"severity":"critical"},`+
		`"annotations":{"summary":%[2]q},"startsAt":"2026-01-01T00:00:00Z"%s}]}`, status, key, end)
}
