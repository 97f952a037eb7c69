package app

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// transport is a way to make one and the same call.
type transport string

const (
	viaREST         transport = "REST"
	viaConnectJSON  transport = "Connect JSON"
	viaConnectProto transport = "Connect binary"
	viaConnectGET   transport = "Connect GET"
	viaGRPCWeb      transport = "gRPC-Web"
)

// transportsOf lists every way in which a method can be called.
func transportsOf(method protoreflect.MethodDescriptor) []transport {
	list := []transport{viaREST, viaConnectJSON, viaConnectProto, viaGRPCWeb}
	if isRead(method) {
		list = append(list, viaConnectGET)
	}
	return list
}

func isRead(method protoreflect.MethodDescriptor) bool {
	options, _ := method.Options().(*descriptorpb.MethodOptions)
	return options.GetIdempotencyLevel() == descriptorpb.MethodOptions_NO_SIDE_EFFECTS
}

func procedureOf(method protoreflect.MethodDescriptor) string {
	return fmt.Sprintf("/%s/%s", method.Parent().FullName(), method.Name())
}

// sending is one call on its way.
type sending struct {
	via    transport
	method protoreflect.MethodDescriptor
	body   proto.Message
	bearer string
	// extra are fields that the request does not have, or that stand in its path, for the
	// JSON transports.
	extra map[string]any
}

func (s sending) request(ctx context.Context) *http.Request {
	var request *http.Request
	switch s.via {
	case viaREST:
		request = s.rest(ctx)
	case viaConnectJSON:
		request = s.post(ctx, "application/json", s.json())
	case viaConnectProto:
		request = s.post(ctx, "application/proto", s.binary())
	case viaConnectGET:
		request = newRequest(ctx, http.MethodGet, procedureOf(s.method)+"?connect=v1&encoding=proto&base64=1&message="+base64.RawURLEncoding.EncodeToString(s.binary()), nil)
	case viaGRPCWeb:
		frame := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(s.binary())))
		request = s.post(ctx, "application/grpc-web+proto", append(frame, s.binary()...))
	}
	if s.bearer != "" {
		request.Header.Set("Authorization", "Bearer "+s.bearer)
	}
	return request
}

var strangers atomic.Uint32

// newRequest comes from a new address each time, so that limits on strangers stay out
// of the way, and has the same request id each time, so that answers can be compared.
func newRequest(ctx context.Context, verb, target string, body []byte) *http.Request {
	request := httptest.NewRequestWithContext(ctx, verb, target, bytes.NewReader(body))
	n := strangers.Add(1)
	request.RemoteAddr = fmt.Sprintf("10.%d.%d.%d:4711", n>>16&0xff, n>>8&0xff, n&0xff)
	request.Header.Set("X-Request-Id", "tenant-test")
	return request
}

func (s sending) post(ctx context.Context, contentType string, body []byte) *http.Request {
	request := newRequest(ctx, http.MethodPost, procedureOf(s.method), body)
	request.Header.Set("Content-Type", contentType)
	return request
}

func (s sending) binary() []byte { return sure(proto.Marshal(s.body)) }

func (s sending) json(inPath ...string) []byte {
	body := sure(protojson.MarshalOptions{UseProtoNames: true}.Marshal(s.body))
	if s.extra == nil {
		return body
	}
	fields := map[string]any{}
	if err := json.Unmarshal(body, &fields); err != nil {
		panic(err)
	}
	for _, name := range inPath {
		delete(fields, name)
	}
	for name, value := range s.extra {
		if _, taken := fields[name]; !taken {
			fields[name] = value
		}
	}
	return sure(json.Marshal(fields))
}

// sure is for what cannot fail in a test that is written right.
func sure[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

var pathVariable = regexp.MustCompile(`\{([a-z_]+)\}`)

func (s sending) rest(ctx context.Context) *http.Request {
	rule, _ := proto.GetExtension(s.method.Options(), annotations.E_Http).(*annotations.HttpRule)
	verb, path := verbAndPath(rule)
	query, message := url.Values{}, s.body.ProtoReflect()
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case isTimestamp(field) && !field.IsList():
			at, _ := value.Message().Interface().(*timestamppb.Timestamp)
			query.Set(string(field.Name()), at.AsTime().Format(time.RFC3339Nano))
		case field.IsMap(), field.Message() != nil:
		case field.IsList():
			for i := range value.List().Len() {
				query.Add(string(field.Name()), value.List().Get(i).String())
			}
		default:
			query.Set(string(field.Name()), value.String())
		}
		return true
	})
	var inPath []string
	path = pathVariable.ReplaceAllStringFunc(path, func(found string) string {
		name := found[1 : len(found)-1]
		defer query.Del(name)
		inPath = append(inPath, name)
		return url.PathEscape(query.Get(name))
	})
	if rule.GetBody() == "" {
		return newRequest(ctx, verb, path+"?"+query.Encode(), nil)
	}
	request := newRequest(ctx, verb, path, s.json(inPath...))
	request.Header.Set("Content-Type", "application/json")
	return request
}

func verbAndPath(rule *annotations.HttpRule) (verb, path string) {
	for verb, path := range map[string]string{
		http.MethodGet: rule.GetGet(), http.MethodPost: rule.GetPost(),
		http.MethodPut: rule.GetPut(), http.MethodPatch: rule.GetPatch(), http.MethodDelete: rule.GetDelete(),
	} {
		if path != "" {
			return verb, path
		}
	}
	return "", ""
}

// answer is all that a caller gets to see.
type answer struct {
	status int
	header http.Header
	body   string
}

func (r *rig) send(ctx context.Context, s sending) answer {
	recorder := httptest.NewRecorder()
	r.handler.ServeHTTP(recorder, s.request(ctx))
	result := recorder.Result()
	_ = result.Body.Close()
	for name, values := range result.Trailer {
		result.Header[http.TrailerPrefix+name] = values
	}
	return answer{status: result.StatusCode, header: result.Header, body: recorder.Body.String()}
}

// whole is the answer as one text: status, headers, trailers and body.
func (a answer) whole() string {
	return fmt.Sprintf("%d\n%v\n%s", a.status, a.header, a.body)
}

var (
	grpcStatus = regexp.MustCompile(`(?i)grpc-status: (\d+)`)
	// asHTTP says which HTTP status a gRPC code corresponds to, where the test looks at it.
	asHTTP = map[string]int{"0": 200, "3": 400, "5": 404, "7": 403, "8": 429, "9": 409, "13": 500, "14": 503, "16": 401}
)

// outcome is the HTTP status, on gRPC-Web the one that its code corresponds to; 200 for 201 too.
func (a answer) outcome() int {
	code := a.header.Get("Grpc-Status")
	if found := grpcStatus.FindStringSubmatch(a.body); found != nil {
		code = found[1]
	}
	switch {
	case a.status == http.StatusCreated:
		return http.StatusOK
	case !strings.HasPrefix(a.header.Get("Content-Type"), "application/grpc-web"):
		return a.status
	}
	return asHTTP[code]
}
