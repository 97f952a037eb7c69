package main

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// errorCode is a line of the generated table of errors.
type errorCode struct {
	Code     string
	Status   int
	Messages []string
}

// refusals are the error answers, each with what brings it about.
var refusals = []struct {
	status  int
	name    string
	because string
	headers []string
}{
	{http.StatusBadRequest, "BadRequest", "The body is no JSON object, or the address cannot be read.", nil},
	{http.StatusUnauthorized, "Unauthorized", "Nobody is signed in, or the key or token is not valid here.", []string{"WWW-Authenticate"}},
	{http.StatusForbidden, "Forbidden", "Whoever calls may not do this.", nil},
	{http.StatusNotFound, "NotFound", "There is nothing at this address, or nothing that the caller may see.", nil},
	{http.StatusConflict, "Conflict", "What is stored does not allow it.", []string{"Retry-After"}},
	{http.StatusPreconditionFailed, "PreconditionFailed", "Somebody else changed it since: If-Match or etag is not its version. Or there is an If-Match, and this call compares no versions.", nil},
	{http.StatusRequestEntityTooLarge, "TooLarge", "The body is too large.", nil},
	{http.StatusUnsupportedMediaType, "UnsupportedMediaType", "The body is not JSON in UTF-8, or compressed otherwise than by gzip.", nil},
	{http.StatusUnprocessableEntity, "Unprocessable", "A field does not exist, or has a value that it cannot have; details names it.", nil},
	{http.StatusTooManyRequests, "TooManyRequests", "Too many calls. Wait as long as Retry-After says.", []string{"Retry-After"}},
	{http.StatusInternalServerError, "Internal", "A mistake of the server.", nil},
	{http.StatusServiceUnavailable, "Unavailable", "Not possible at this moment. Send it again after Retry-After.", []string{"Retry-After"}},
}

// addErrors adds an answer for each status of the table, with its codes.
func addErrors(d *document, codes []errorCode) {
	for _, refusal := range refusals {
		var words []string
		for _, code := range codes {
			if code.Status == refusal.status {
				words = append(words, "`"+code.Code+"`")
			}
		}
		answer := &response{
			Description: fmt.Sprintf("%s Codes: %s.", refusal.because, strings.Join(words, ", ")),
			Content:     asJSON(&schema{Ref: "#/components/schemas/Error"}),
		}
		answer.carry(append(append(slices.Clone(everywhere), limits...), refusal.headers...)...)
		d.Components.Responses.set(refusal.name, answer)
	}
}

// everywhere are the headers of every answer.
var everywhere = []string{"X-Request-Id", "Nightbell-Version"}

// limits are the headers of answers to who is known.
var limits = []string{"RateLimit", "RateLimit-Policy"}

func (r *response) carry(names ...string) {
	for _, name := range names {
		r.Headers.set(name, &header{Ref: "#/components/headers/" + name})
	}
}

// refuse adds the error answers of an operation.
func refuse(o *operation, statuses ...int) {
	for _, refusal := range refusals {
		if slices.Contains(statuses, refusal.status) {
			o.Responses.set(strconv.Itoa(refusal.status), &response{Ref: "#/components/responses/" + refusal.name})
		}
	}
}

func asJSON(s *schema) (content ordered[media]) {
	content.set("application/json", media{Schema: s})
	return content
}
