// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Whatever is asked for, the answer is JSON: no page is looked for under another path than that of the request.
func TestPaths(t *testing.T) {
	r := startReady(t, nil)
	const fields = " HTTP/1.1\r\nHost: a\r\n"
	long := strings.Repeat("a", mostHeader)
	for request, want := range map[string]int{
		"GET /../x" + fields:                                       404,
		"GET //x" + fields:                                         404,
		"GET /a/./b" + fields:                                      404,
		"GET /./healthz" + fields:                                  404,
		"GET //healthz" + fields:                                   404,
		"GET /predict/.." + fields:                                 404,
		"GET /%2e%2e/x" + fields:                                   404,
		"GET /healthz/" + fields:                                   404,
		"GET /model//" + fields:                                    404,
		"GET /debug/" + fields:                                     404,
		"GET http://a/../x" + fields:                               404,
		"POST //predict" + fields:                                  404,
		"GET /%00" + fields:                                        404,
		"GET /healthz?x=//../" + fields:                            200,
		"GET /%68ealthz" + fields:                                  200,
		"HEAD /../x" + fields:                                      404,
		"CONNECT /../x" + fields:                                   404,
		"CONNECT a:80" + fields:                                    404,
		"CONNECT /healthz" + fields:                                405,
		"OPTIONS *" + fields:                                       404,
		"OPTIONS /predict" + fields:                                405,
		"BREW /predict" + fields:                                   405,
		"get /healthz" + fields:                                    405,
		"DELETE /debug/vars" + fields:                              405,
		"GET /debug/vars" + fields:                                 200,
		"GET /debug/vars/" + fields:                                404,
		"GET /healthz" + fields + "A: " + long + "\r\n":            431,
		"GET /debug/vars" + fields + "A: " + long + "\r\n":         431,
		"GET /" + long + fields:                                    431,
		"GET /healthz" + fields + "A: " + long[1000:] + "\r\n":     200,
		"GET /healthz" + fields + strings.Repeat("A: b\r\n", 4000): 431,
	} {
		c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		c.SetDeadline(time.Now().Add(5 * time.Second))
		fmt.Fprintf(c, "%s\r\n", request)
		method, _, _ := strings.Cut(request, " ")
		response, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: strings.ToUpper(method)})
		if err != nil {
			t.Errorf("%.40q: %v", request, err)
			continue
		}
		body, err := io.ReadAll(response.Body)
		var value any
		if method != "HEAD" && method != "CONNECT" && err == nil { // they have no body
			err = json.Unmarshal(body, &value)
		}
		if err != nil || response.StatusCode != want || response.Header.Get("Content-Type") != "application/json" || response.Header.Get("Location") != "" {
			t.Errorf("%.40q: status %d, want %d, %v, %v: %.200s", request, response.StatusCode, want, err, response.Header, body)
		}
		if o, ok := value.(map[string]any); want >= 400 && value != nil && (!ok || o["error"] == nil) {
			t.Errorf("%.40q: %s", request, body)
		}
		c.Close()
	}
}
