package rpcserver

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/gen/nightbell/v1/nightbellv1connect"
)

// TestNoParserTextReachesTheLog: a password sent as a number and an unquoted token are quoted by
// the parsers that refuse them.
func TestNoParserTextReachesTheLog(t *testing.T) {
	var logs bytes.Buffer
	server := New(slog.New(slog.NewTextHandler(&logs, &slog.HandlerOptions{Level: slog.LevelDebug})), Recover(), MapFaults(nil), Validate())
	auth := nightbellv1connect.UnimplementedAuthServiceHandler{}
	err := server.Mount(nightbellv1.File_nightbell_v1_auth_service_proto.Services().Get(0), auth,
		func(o ...connect.HandlerOption) (string, http.Handler) {
			return nightbellv1connect.NewAuthServiceHandler(auth, o...)
		})
	if err != nil {
		t.Fatal(err)
	}
	handler := server.Handler()
	for _, body := range []string{
		`{"email":"dana@rockets.example","password":7741930055}`,
		`{"email":"dana@rockets.example","password":["s3cr3t-velvet"]}`,
		`{"email":"dana@rockets.example","password":s3cr3t-velvet}`,
		`{"email":"dana@rockets.example","password":"s3cr3t-velvet"`,
		`{"password":{"s3cr3t-velvet":1}}`,
		`{"s3cr3t-velvet":1}`,
		`s3cr3t-velvet`,
		"{\"password\":\"s3cr3t-velvet\xff\"}",
	} {
		for _, path := range []string{"/v1/auth/login", "/nightbell.v1.AuthService/Login"} {
			got := rest(handler, http.MethodPost, path, body, "Content-Type", "application/json")
			if got.status == http.StatusOK {
				t.Errorf("%s %s: %d %s", path, body, got.status, got.body)
			}
		}
	}
	rest(handler, http.MethodPost, "/v1/auth/refresh", `{"refresh_token":s3cr3t-velvet}`, "Content-Type", "application/json")
	rest(handler, http.MethodGet, "/v1/auth/me?s3cr3t-velvet=1;7741930055=2", "")
	for _, secret := range []string{"s3cr3t", "7741930055"} {
		if strings.Contains(logs.String(), secret) {
			t.Errorf("%s is in the log:\n%s", secret, logs.String())
		}
	}
	if logs.Len() == 0 {
		t.Error("nothing was logged")
	}
}
