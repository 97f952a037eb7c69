package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// workspace is a tenant with one person who is told by one webhook.
type workspace struct {
	url, token      string
	userID, email   string
	policyID        string
	serviceKeys     []string
	servicesCreated int
}

const password = "nine lamps under the bridge"

// register makes a workspace through the public API. A policy pages its person, whose
// only contact method is the webhook.
func register(ctx context.Context, url, name, webhook string) (*workspace, error) {
	w := &workspace{url: url, email: name + "@example.com"}
	err := w.call(ctx, http.MethodPost, "/v1/auth/register", map[string]any{
		"user_type": "organization", "name": "Bench " + name, "email": w.email, "password": password, "org_name": "Bench " + name, "timezone": "UTC",
	}, nil)
	if err != nil {
		return nil, err
	}
	if err := w.signIn(ctx); err != nil {
		return nil, err
	}
	if err := w.onlyWebhook(ctx, webhook); err != nil {
		return nil, err
	}
	return w, w.addPolicy(ctx)
}

// signIn gets a token; they are good for a quarter of an hour.
func (w *workspace) signIn(ctx context.Context) error {
	var in struct {
		User   struct{ ID string }
		Tokens struct {
			AccessToken string `json:"access_token"`
		}
	}
	w.token = ""
	err := w.call(ctx, http.MethodPost, "/v1/auth/login", map[string]any{"email": w.email, "password": password}, &in)
	w.token, w.userID = in.Tokens.AccessToken, in.User.ID
	return err
}

// onlyWebhook adds the webhook before it deletes the rest: an owner keeps one contact.
func (w *workspace) onlyWebhook(ctx context.Context, webhook string) error {
	var listed struct {
		ContactMethods []struct{ ID string } `json:"contact_methods"`
	}
	if err := w.call(ctx, http.MethodGet, "/v1/contact-methods", nil, &listed); err != nil {
		return err
	}
	err := w.call(ctx, http.MethodPost, "/v1/contact-methods", map[string]any{"kind": "webhook", "name": "Hook", "address": webhook}, nil)
	if err != nil {
		return err
	}
	for _, contact := range listed.ContactMethods {
		if err := w.call(ctx, http.MethodDelete, "/v1/contact-methods/"+contact.ID, nil, nil); err != nil {
			return err
		}
	}
	return nil
}

func (w *workspace) addPolicy(ctx context.Context) error {
	var made struct {
		Policy struct{ ID string } `json:"escalation_policy"`
	}
	err := w.call(ctx, http.MethodPost, "/v1/escalation-policies", map[string]any{"name": "Bench", "steps": []any{
		map[string]any{"delay_seconds": 86_400, "targets": []any{map[string]any{"kind": "user", "id": w.userID}}},
	}}, &made)
	w.policyID = made.Policy.ID
	return err
}

// addServices makes services that page by the policy and keeps their webhook URLs.
func (w *workspace) addServices(ctx context.Context, n int) error {
	for range n {
		var made struct {
			ServiceKey string `json:"service_key"`
		}
		w.servicesCreated++
		err := w.call(ctx, http.MethodPost, "/v1/services", map[string]any{
			"name": fmt.Sprintf("Service %d", w.servicesCreated), "escalation_policy_id": w.policyID,
		}, &made)
		if err != nil {
			return err
		}
		w.serviceKeys = append(w.serviceKeys, made.ServiceKey)
	}
	return nil
}

// hooks are the URLs that senders of the first n services post to, at a server.
func (w *workspace) hooks(server string, n int) []string {
	urls := make([]string, n)
	for i := range n {
		urls[i] = server + "/v1/webhooks/prometheus/" + w.serviceKeys[i]
	}
	return urls
}

// eventURLs are where events go, each with the key of a service as its user.
func (w *workspace) eventURLs(server string, n int) []string {
	urls := make([]string, n)
	for i := range urls {
		urls[i] = strings.Replace(server, "://", "://"+w.serviceKeys[i]+"@", 1) + "/v1/events"
	}
	return urls
}

// call calls the REST API; any answer but 2xx is an error.
func (w *workspace) call(ctx context.Context, method, path string, body, answer any) error {
	payload := io.Reader(http.NoBody)
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return err
		}
		payload = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, w.url+path, payload)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	if w.token != "" {
		request.Header.Set("Authorization", "Bearer "+w.token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: %s %s", method, path, response.Status, text)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}
