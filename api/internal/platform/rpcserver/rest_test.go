package rpcserver

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// echo remembers what arrived.
func echo(tb testing.TB) (http.Handler, *nightbellv1.CreateIncidentRequest, *nightbellv1.ListIncidentsRequest) {
	tb.Helper()
	created, listed := &nightbellv1.CreateIncidentRequest{}, &nightbellv1.ListIncidentsRequest{}
	server := New(quiet(), Recover(), MapFaults(nil), validateTypes)
	mountProbe(tb, server, &probe{
		create: func(_ context.Context, req *nightbellv1.CreateIncidentRequest) (*nightbellv1.CreateIncidentResponse, error) {
			proto.Reset(created)
			proto.Merge(created, req)
			return &nightbellv1.CreateIncidentResponse{}, nil
		},
		list: func(_ context.Context, req *nightbellv1.ListIncidentsRequest) (*nightbellv1.ListIncidentsResponse, error) {
			proto.Reset(listed)
			proto.Merge(listed, req)
			return &nightbellv1.ListIncidentsResponse{Incidents: []*nightbellv1.IncidentSummary{{Number: 3}}}, nil
		},
		get: func(_ context.Context, req *nightbellv1.GetIncidentRequest) (*nightbellv1.GetIncidentResponse, error) {
			return &nightbellv1.GetIncidentResponse{Incident: &nightbellv1.Incident{Id: req.GetId()}}, nil
		},
	})
	return server.Handler(), created, listed
}

// validateTypes is Validate without the limits of fields.
func validateTypes(ctx context.Context, _ *Call, message proto.Message, next Next) (proto.Message, error) {
	if fields := takeUnknown(message.ProtoReflect()); slices.ContainsFunc(fields, isMisfit) {
		return nil, fault.InvalidFields(sentence(fields), fields...)
	}
	return next(ctx, message)
}

func misfitIn(message protoreflect.Message) error {
	if fields := takeUnknown(message); len(fields) > 0 {
		return fault.InvalidFields(sentence(fields), fields...)
	}
	return nil
}

func TestJSONForm(t *testing.T) {
	handler, _, _ := echo(t)
	got := rest(handler, http.MethodGet, "/v1/incidents", "")
	var body map[string]any
	if err := json.Unmarshal([]byte(got.body), &body); err != nil {
		t.Fatal(err)
	}
	list, _ := body["incidents"].([]any)
	incident, _ := list[0].(map[string]any)
	if body["next_cursor"] != nil || incident["number"] != 3.0 || incident["service"] != nil {
		t.Errorf("empty fields are left out, or named in camelCase: %s", got.body)
	}
	if text, err := marshalJSON(&nightbellv1.Incident{}); err != nil || !strings.Contains(string(text), `"tags":{}`) {
		t.Errorf("an empty map is not {}: %s", text)
	}
	if _, ok := incident["assignee"]; ok {
		t.Errorf("an unset message is shown: %s", got.body)
	}
	if kind := got.header.Get("Content-Type"); kind != "application/json" {
		t.Errorf("Content-Type %s", kind)
	}
}

func TestBodies(t *testing.T) {
	handler, created, _ := echo(t)
	for name, c := range map[string]struct {
		body, content string
		status        int
		shows         string
	}{
		"everything":         {body: `{"title":"x","severity":"low","tags":{"a":"b"},"metadata":{"n":[1,{"m":null}]}}`, status: 201},
		"camel case":         {body: `{"title":"x","serviceId":"s"}`, status: 201},
		"unknown fields":     {body: `{"title":"x","colour":{"deep":[1]}}`, status: 201},
		"null":               {body: `{"title":null}`, status: 201},
		"nothing":            {body: ``, status: 201},
		"charset":            {body: `{}`, content: `application/json; charset=UTF-8`, status: 201},
		"problem json":       {body: `{}`, content: `application/problem+json`, status: 201},
		"curl's default":     {body: `{}`, content: `application/x-www-form-urlencoded`, status: 415, shows: "Content-Type: application/json"},
		"latin 1":            {body: `{}`, content: `application/json; charset=latin1`, status: 415, shows: "UTF-8"},
		"nonsense type":      {body: `{}`, content: `;;`, status: 415, shows: "Content-Type"},
		"cut off":            {body: `{"title":"hunter2`, status: 400, shows: "not valid JSON: look near byte 17"},
		"not JSON":           {body: `title=hunter2`, status: 400, shows: "not valid JSON"},
		"two values":         {body: `{}{}`, status: 400, shows: "not valid JSON"},
		"list":               {body: `["hunter2"]`, status: 400, shows: "one JSON object"},
		"text":               {body: `"hunter2"`, status: 400, shows: "one JSON object"},
		"number for text":    {body: `{"title":42424242}`, status: 422, shows: "title must be a string."},
		"text for an object": {body: `{"tags":"hunter2"}`, status: 422, shows: "tags must be an object whose values are each a string"},
		"object for text":    {body: `{"service_id":{"hunter2":1}}`, status: 422, shows: `"field":"service_id","code":"bad_format","message":"must be a string"`},
		"number in a map":    {body: `{"tags":{"a":42424242}}`, status: 422, shows: "tags must be an object whose values are each a string"},
		"twice":              {body: `{"title":"a","title":"hunter2"}`, status: 400, shows: "twice"},
		"invalid UTF-8":      {body: "{\"title\":\"\xff\xfe\"}", status: 400, shows: "UTF-8"},
		"bottomless":         {body: `{"metadata":{"a":` + strings.Repeat("[", 100000), status: 400, shows: "JSON"},
		"very deep":          {body: `{"metadata":{"a":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}}`, status: 400, shows: "nested too deeply"},
		"deep and unknown":   {body: `{"x":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}`, status: 400, shows: "nested too deeply"},
		"too large":          {body: `{"title":"` + strings.Repeat("x", maxBody) + `"}`, status: 413, shows: "larger than 1024 KiB"},
	} {
		t.Run(name, func(t *testing.T) {
			content := c.content
			if content == "" {
				content = "application/json"
			}
			got := rest(handler, http.MethodPost, "/v1/incidents", c.body, "Content-Type", content)
			if got.status != c.status || !strings.Contains(got.body, c.shows) {
				t.Errorf("%d %.300s, want %d with %q", got.status, got.body, c.status, c.shows)
			}
			for _, leak := range []string{"hunter2", "42424242", "proto:", "google.", "json:", "unmarshal"} {
				if strings.Contains(got.body, leak) {
					t.Errorf("the answer shows %q: %s", leak, got.body)
				}
			}
		})
	}
	rest(handler, http.MethodPost, "/v1/incidents", `{"title":"x","tags":{"a":"b"},"metadata":{"n":[1]},"serviceId":"s"}`, "Content-Type", "application/json")
	if created.GetTitle() != "x" || created.GetTags()["a"] != "b" || created.GetServiceId() != "s" || len(created.GetMetadata().GetFields()) != 1 {
		t.Errorf("arrived as %v", created)
	}
}

func TestPathHasTheLastWord(t *testing.T) {
	var asked string
	server := New(quiet(), func(_ context.Context, _ *Call, message proto.Message, _ Next) (proto.Message, error) {
		asked = message.(interface{ GetId() string }).GetId()
		return &nightbellv1.AcknowledgeIncidentResponse{}, nil
	})
	mountProbe(t, server, &probe{})
	handler := server.Handler()
	rest(handler, http.MethodPost, "/v1/incidents/mine/acknowledge", `{"id":"theirs"}`)
	if asked != "mine" {
		t.Errorf("the body's id %q won over the path's", asked)
	}
	if got := rest(handler, http.MethodGet, "/v1/incidents/%ff", ""); got.status != http.StatusNotFound {
		t.Errorf("a path that is not UTF-8: %d %s", got.status, got.body)
	}
}

func TestQuery(t *testing.T) {
	handler, _, listed := echo(t)
	got := rest(handler, http.MethodGet, "/v1/incidents?limit=10&offset=&status=open&status=resolved&text=a%20b&unknown=1&service_id=s", "")
	if got.status != 200 || listed.GetLimit() != 10 || !slices.Equal(listed.GetStatus(), []string{"open", "resolved"}) || listed.GetText() != "a b" || !slices.Equal(listed.GetServiceId(), []string{"s"}) {
		t.Errorf("%d, arrived as %v", got.status, listed)
	}
	for query, want := range map[string]string{
		"limit=x":                 `"field":"limit","code":"bad_format","message":"must be a whole number`,
		"limit=1.5":               "whole number",
		"limit=99999999999999999": "whole number between",
		"text=%ff":                "valid UTF-8",
		"limit=10&limit=20":       "must be given once",
	} {
		if got := rest(handler, http.MethodGet, "/v1/incidents?"+query, ""); got.status != http.StatusUnprocessableEntity || !strings.Contains(got.body, want) {
			t.Errorf("?%s: %d %s", query, got.status, got.body)
		}
	}
}

// Every scalar kind of the contract can be a query parameter.
func TestQueryKinds(t *testing.T) {
	kinds := map[string]descriptorpb.FieldDescriptorProto_Type{
		"i32": descriptorpb.FieldDescriptorProto_TYPE_INT32, "dbl": descriptorpb.FieldDescriptorProto_TYPE_DOUBLE,
		"yes": descriptorpb.FieldDescriptorProto_TYPE_BOOL, "str": descriptorpb.FieldDescriptorProto_TYPE_STRING,
	}
	message := &descriptorpb.DescriptorProto{Name: new("Scalars")}
	for name, kind := range kinds {
		for _, label := range []descriptorpb.FieldDescriptorProto_Label{descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL, descriptorpb.FieldDescriptorProto_LABEL_REPEATED} {
			field := &descriptorpb.FieldDescriptorProto{Name: new(name), Type: kind.Enum(), Label: label.Enum(), Number: new(int32(len(message.Field) + 1))}
			if label == descriptorpb.FieldDescriptorProto_LABEL_REPEATED {
				field.Name = new(name + "_list")
			}
			message.Field = append(message.Field, field)
		}
	}
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{Name: new("s.proto"), Syntax: new("proto3"), MessageType: []*descriptorpb.DescriptorProto{message}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	scalars := file.Messages().Get(0)
	read := func(query map[string][]string) (*dynamicpb.Message, error) {
		into := dynamicpb.NewMessage(scalars)
		readQuery(query, scalars.Fields(), into)
		return into, misfitIn(into)
	}
	good := map[string]string{"yes": "true", "str": "é", "dbl": "-1e3"}
	bad := map[string]string{"yes": "maybe", "str": "\xff", "dbl": "Inf"}
	for name := range kinds {
		value, wrong := good[name], bad[name]
		if value == "" {
			value, wrong = "7", "seven"
		}
		field := scalars.Fields().ByTextName(name)
		if into, err := read(map[string][]string{name: {value}, name + "_list": {value, value}}); err != nil || !into.Has(field) {
			t.Errorf("%s=%s: %v", name, value, err)
		} else if list := into.Get(scalars.Fields().ByTextName(name + "_list")).List(); list.Len() != 2 {
			t.Errorf("%s_list has %d values", name, list.Len())
		}
		if _, err := read(map[string][]string{name: {wrong}}); err == nil || !strings.Contains(err.Error(), "must be") {
			t.Errorf("%s=%q: %v", name, wrong, err)
		}
	}
}

// A time is written in a URL as it is in JSON.
func TestQueryTimes(t *testing.T) {
	read := func(text string) (*nightbellv1.ListOnCallRequest, error) {
		into := &nightbellv1.ListOnCallRequest{}
		message := into.ProtoReflect()
		readQuery(map[string][]string{"at": {text}}, message.Descriptor().Fields(), message)
		return into, misfitIn(message)
	}
	want := time.Date(2026, 11, 21, 7, 0, 0, 500e6, time.UTC)
	for _, text := range []string{"2026-11-21T07:00:00.5Z", "2026-11-21T08:00:00.5+01:00", "2026-11-21T08:00:00.5 01:00"} {
		if got, err := read(text); err != nil || !got.GetAt().AsTime().Equal(want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	if got, err := read(""); err != nil || got.At != nil {
		t.Errorf("nothing: %v, %v", got, err)
	}
	for _, text := range []string{"now", "2026-11-21", "1795507200", "10000-01-01T00:00:00Z"} {
		if got, err := read(text); err == nil || !strings.Contains(err.Error(), "must be a time such as") {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

// What is wrong with a definition stops the start, with a sentence.
func TestMountRefuses(t *testing.T) {
	anyone := &nightbellv1.Authz{Public: true}
	get := func(path string) *annotations.HttpRule {
		return &annotations.HttpRule{Pattern: &annotations.HttpRule_Get{Get: path}}
	}
	post := func(path, body string) *annotations.HttpRule {
		return &annotations.HttpRule{Pattern: &annotations.HttpRule_Post{Post: path}, Body: body}
	}
	bidirectional := streaming(public("Watch"))
	bidirectional.ClientStreaming = new(true)
	for name, c := range map[string]struct {
		method *descriptorpb.MethodDescriptorProto
		want   string
	}{
		"no authz":            {declare("GetIncident", "GetIncident", nil, get("/v1/x/{id}")), "must say who may call it"},
		"empty authz":         {declare("GetIncident", "GetIncident", &nightbellv1.Authz{Mutates: true}, get("/v1/x/{id}")), "must say who may call it"},
		"public with a role":  {declare("GetIncident", "GetIncident", &nightbellv1.Authz{Public: true, Role: "owner"}, get("/v1/x/{id}")), "must say who may call it"},
		"no REST route":       {declare("GetIncident", "GetIncident", anyone, nil), "has no REST route"},
		"no Go method":        {declare("Forgotten", "GetIncident", anyone, get("/v1/x/{id}")), "has no method Forgotten"},
		"another type":        {declare("GetIncident", "ListIncidents", anyone, get("/v1/x")), "does not fit"},
		"unknown variable":    {declare("GetIncident", "GetIncident", anyone, get("/v1/x/{nothing}")), "no plain field"},
		"message in the path": {declare("CreateIncident", "CreateIncident", anyone, post("/v1/x/{metadata}", "*")), "no plain field"},
		"message in a query":  {declare("CreateIncident", "CreateIncident", anyone, get("/v1/x")), "cannot be written in a URL"},
		"custom verb":         {declare("GetIncident", "GetIncident", anyone, get("/v1/x/{id}:close")), "not supported"},
		"deep variable":       {declare("GetIncident", "GetIncident", anyone, get("/v1/x/{id=**}")), "not supported"},
		"body of one field":   {declare("CreateIncident", "CreateIncident", anyone, post("/v1/x", "title")), "body"},
		"no path":             {declare("GetIncident", "GetIncident", anyone, &annotations.HttpRule{}), "not supported"},
		"GET with a body":     {declare("GetIncident", "GetIncident", anyone, &annotations.HttpRule{Pattern: &annotations.HttpRule_Get{Get: "/v1/x/{id}"}, Body: "*"}), "must not have a body"},
		"taken path":          {declare("GetIncident", "GetIncident", anyone, get("/v1/incidents/{id}")), "taken twice"},
		"ambiguous path":      {declare("GetIncident", "GetIncident", anyone, get("/v1/{id}/counts")), "conflicts"},
		"stream with a route": {streaming(declare("Watch", "GetIncident", anyone, get("/v1/x/{id}"))), "stream"},
		"stream of requests":  {bidirectional, "stream of requests"},
	} {
		t.Run(name, func(t *testing.T) {
			server := New(quiet())
			mountProbe(t, server, &probe{})
			impl := &probe{}
			err := server.Mount(service(t, c.method), impl, func(...connect.HandlerOption) (string, http.Handler) { return "", http.NotFoundHandler() })
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "nightbell.test.Probe") {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

func TestLargeAnswersAreCompressed(t *testing.T) {
	server := New(quiet())
	mountProbe(t, server, &probe{list: func(_ context.Context, req *nightbellv1.ListIncidentsRequest) (*nightbellv1.ListIncidentsResponse, error) {
		return &nightbellv1.ListIncidentsResponse{Incidents: incidents(int(req.GetLimit()))}, nil
	}})
	handler := server.Handler()
	whole := rest(handler, http.MethodGet, "/v1/incidents?limit=50", "")
	for accepted, want := range map[string]string{"gzip, br": "gzip", "br": "", "gzip;q=0": "", "gzip; q=0.0": "", "gzip;q=0.5": "gzip", "": ""} {
		got := rest(handler, http.MethodGet, "/v1/incidents?limit=50", "", "Accept-Encoding", accepted)
		if got.header.Get("Content-Encoding") != want || got.header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("Accept-Encoding %q: %v", accepted, got.header)
		}
		if want == "" {
			continue
		}
		reader, err := gzip.NewReader(strings.NewReader(got.body))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(reader); err != nil || string(text) != whole.body {
			t.Errorf("%v: %.100s", err, text)
		}
	}
	if got := rest(handler, http.MethodGet, "/v1/incidents?limit=1", "", "Accept-Encoding", "gzip"); got.header.Get("Content-Encoding") != "" {
		t.Errorf("%d bytes are compressed", len(got.body))
	}
	small := rest(handler, http.MethodGet, "/v1/incidents?limit=50", "", "Accept-Encoding", "gzip")
	t.Logf("50 incidents: %d bytes, %d compressed", len(whole.body), len(small.body))
}
