// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write docs/pictures/report.png")

// browser returns the path of a browser. Without one it skips the test, or fails it if FEATUREMAP_BROWSER is required.
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("FEATUREMAP_BROWSER") == "required" {
		t.Fatal("there is no chromium in PATH")
	}
	t.Skip("there is no chromium in PATH")
	return ""
}

// browse has a browser show a file, and returns what it prints.
func browse(t *testing.T, file string, args ...string) (stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	args = append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--enable-logging=stderr", "--user-data-dir=" + t.TempDir()}, args...)
	cmd := exec.CommandContext(ctx, browser(t), append(args, "file://"+file)...)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, &log)
	}
	return out.String(), log.String()
}

// Measuring is a script that measures the page in a frame. A browser's window may have no less than 500 points of width, but a frame may.
const measuring = `
addEventListener("load", () => {
  const frame = document.querySelector("iframe"), page = frame.contentDocument, width = frame.contentWindow.innerWidth;
  const result = {width, figures: [], wide: [], letters: 100, dark: frame.contentWindow.getComputedStyle(page.body).backgroundColor};
  for (const e of page.querySelectorAll("body *")) {
    if (e.getBoundingClientRect().right > width + 0.5 || e.scrollWidth > width) result.wide.push(e.tagName + " " + e.textContent.slice(0, 40));
  }
  for (const e of page.querySelectorAll("figure svg")) {
    const r = e.getBoundingClientRect(), box = e.viewBox.baseVal;
    result.figures.push([r.width, r.height]);
    for (const text of e.querySelectorAll("text")) {
      result.letters = Math.min(result.letters, parseFloat(getComputedStyle(text).fontSize) * r.width / box.width);
      const at = text.getBoundingClientRect();
      if (at.left < r.left - 1 || at.right > r.right + 1 || at.top < r.top - 1 || at.bottom > r.bottom + 1) result.wide.push("letters " + text.textContent);
    }
  }
  for (const e of page.querySelectorAll("p, td, th, figcaption, caption")) {
    result.letters = Math.min(result.letters, parseFloat(getComputedStyle(e).fontSize));
  }
  const pre = document.createElement("pre");
  pre.textContent = "RESULT:" + JSON.stringify(result) + "END";
  document.body.append(pre);
});`

// A browser shows the pages without an error, with all figures, nothing wider than the window, letters of a size that can be read, on a phone
// and on a large screen, in light and dark.
func TestBrowser(t *testing.T) {
	browser(t)
	for name, j := range map[string]*job{"sales": sales(), "fruit": classified(t, fruit(4), "kind", nil), "wide": classified(t, wide(200), "class", nil)} {
		page := pageOf(t, j)
		for _, width := range []int{390, 1100} {
			frame := filepath.Join(t.TempDir(), "frame.html")
			text := fmt.Sprintf(`<!DOCTYPE html><meta charset="utf-8"><script>%s</script><body style="margin:0"><iframe style="border:0" width=%d height=800 srcdoc="%s"></iframe>`,
				measuring, width, html.EscapeString(page))
			must(0, os.WriteFile(frame, []byte(text), 0o600))
			scheme := map[int]string{390: "1", 1100: "0"}[width] // light, dark
			out, log := browse(t, frame, "--dump-dom", "--window-size=1200,900", "--blink-settings=preferredColorScheme="+scheme)
			if strings.Contains(log, "CONSOLE") {
				t.Errorf("%s: the browser says:\n%s", name, log)
			}
			_, out, _ = strings.Cut(out, "RESULT:{") // not the script, which is there too
			out, _, _ = strings.Cut("{"+out, "END</pre>")
			var result struct {
				Width   float64
				Figures [][2]float64
				Wide    []string
				Letters float64
				Dark    string
			}
			if err := json.Unmarshal([]byte(html.UnescapeString(out)), &result); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if result.Width != float64(width) || len(result.Wide) > 0 || !(result.Letters >= 11) {
				t.Errorf("%s, %d wide: %+v", name, width, result)
			}
			if (result.Dark == "rgb(255, 255, 255)") != (scheme == "1") {
				t.Errorf("%s: the background is %s", name, result.Dark)
			}
			if n := strings.Count(page, "<figure>"); len(result.Figures) != n || n < 5 {
				t.Errorf("%s: %d figures are shown of %d", name, len(result.Figures), n)
			}
			for _, size := range result.Figures {
				if !(size[0] > 300 && size[1] > 80) {
					t.Errorf("%s, %d wide: a figure is of size %v", name, width, size)
				}
			}
		}
	}
	if !*update {
		return
	}
	shot := filepath.Join(t.TempDir(), "shot.png")
	browse(t, sales().out, "--screenshot="+shot, "--window-size=1000,1085", "--force-device-scale-factor=1.5", "--blink-settings=preferredColorScheme=1")
	picture := small(must(png.Decode(must(os.Open(shot)))))
	if len(picture) > 200_000 {
		t.Errorf("the picture has %d bytes", len(picture))
	}
	must(0, os.WriteFile("../../docs/pictures/report.png", picture, 0o666))
}

// small returns a picture as PNG of the 256 colors that it has most of: all others are shades at the edges of letters.
func small(img image.Image) []byte {
	count := make(map[color.RGBA]int)
	b := img.Bounds()
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(img.At(x, y)).(color.RGBA) }
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			count[at(x, y)]++
		}
	}
	var all []color.RGBA
	for c := range count {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b color.RGBA) int { return count[b] - count[a] })
	var palette color.Palette
	for _, c := range all[:min(len(all), 256)] {
		palette = append(palette, c)
	}
	few := image.NewPaletted(b, palette)
	nearest := make(map[color.RGBA]uint8)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := at(x, y)
			if _, ok := nearest[c]; !ok {
				nearest[c] = uint8(palette.Index(c))
			}
			few.SetColorIndex(x, y, nearest[c])
		}
	}
	var out bytes.Buffer
	must(0, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, few))
	return out.Bytes()
}
