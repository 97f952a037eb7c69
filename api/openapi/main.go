// Command openapi writes the description of the REST calls that the server gives at
// /v1/openapi.yaml. It makes it of the proto files with their comments and options, of the table of
// error codes, and of what is written by hand for the routes that are no RPC. It runs in api/:
//
//	buf build ../proto --path ../proto/nightbell -o - | go run ./openapi
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

const (
	byHand     = "../proto/openapi.base.yaml"
	errorCodes = "../site/app/features/docs/error-codes.json"
	output     = "gen/openapi/openapi.yaml"
)

func main() {
	if err := generate(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "openapi:", err)
		os.Exit(1)
	}
}

func generate(image io.Reader) error {
	base, err := os.ReadFile(byHand)
	if err != nil {
		return err
	}
	table, err := os.ReadFile(errorCodes)
	if err != nil {
		return err
	}
	services, err := readImage(image)
	if err != nil {
		return err
	}
	var codes []errorCode
	if err := json.Unmarshal(table, &codes); err != nil {
		return fmt.Errorf("%s: %w", errorCodes, err)
	}
	text, err := describe(base, services, codes)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(output), 0o755); err != nil {
		return err
	}
	return os.WriteFile(output, text, 0o644) //nolint:gosec // a document for everybody
}

// readImage finds the services of the contract, with their comments.
func readImage(image io.Reader) (services []protoreflect.ServiceDescriptor, err error) {
	raw, err := io.ReadAll(image)
	if err != nil {
		return nil, err
	}
	set := &descriptorpb.FileDescriptorSet{}
	if err := proto.Unmarshal(raw, set); err != nil {
		return nil, fmt.Errorf("what buf built: %w", err)
	}
	files, err := protodesc.NewFiles(set)
	if err != nil {
		return nil, err
	}
	for _, file := range set.GetFile() { // in the order of the image, so that the document is always the same
		if file.GetPackage() != "nightbell.v1" {
			continue
		}
		found, err := files.FindFileByPath(file.GetName())
		if err != nil {
			return nil, err
		}
		for i := range found.Services().Len() {
			services = append(services, found.Services().Get(i))
		}
	}
	if len(services) == 0 {
		return nil, fmt.Errorf("there is no service in what buf built")
	}
	return services, nil
}

// describe makes the document of what was written by hand, the services, and the table of errors.
func describe(base []byte, services []protoreflect.ServiceDescriptor, codes []errorCode) ([]byte, error) {
	d := &document{}
	if err := yaml.Unmarshal(base, d); err != nil {
		return nil, fmt.Errorf("%s: %w", byHand, err)
	}
	addErrors(d, codes)
	if err := addServices(d, services); err != nil {
		return nil, err
	}
	addWebhooks(d)
	if err := finish(d); err != nil {
		return nil, err
	}
	return write(d)
}
