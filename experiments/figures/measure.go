// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

const module = "github.com/seed-0f95ebc1/featuremap"

// moduleRoot returns the folder of featuremap's go.mod, which is above the current folder.
func moduleRoot() (string, error) {
	const name = "module " + module + "\n"
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for folder := start; ; folder = filepath.Dir(folder) {
		mod, err := os.ReadFile(filepath.Join(folder, "go.mod"))
		if err == nil && strings.HasPrefix(string(mod), name) {
			return folder, nil
		}
		if folder == filepath.Dir(folder) {
			return "", fmt.Errorf("no folder above the current one has featuremap's go.mod: run this in a clone of it")
		}
	}
}

// Measurements are files that the programs have written: one for all pictures of a program.
type measurements struct {
	request
	root   string
	folder string            // of the files
	files  map[string]string // by program
}

// file returns the file to draw a picture from.
func (m *measurements) file(p picture) (string, error) {
	if m.csv != "" {
		return m.csv, nil
	}
	if p.file != "" {
		return filepath.Join(m.root, p.file), nil
	}
	if file, ok := m.files[p.program]; ok {
		return file, nil
	}
	if m.folder == "" {
		var err error
		if m.folder, err = os.MkdirTemp("", "figures"); err != nil {
			return "", err
		}
	}
	file := filepath.Join(m.folder, path.Base(p.program)+".csv")
	args, err := m.arguments(p, file)
	if err != nil {
		return "", err
	}
	program := exec.Command("go", args...)
	program.Dir, program.Stdout, program.Stderr = filepath.Join(m.root, "experiments"), os.Stdout, os.Stderr
	if err := program.Run(); err != nil {
		return "", fmt.Errorf("%s: %w", strings.Join(program.Args, " "), err)
	}
	m.files[p.program] = file
	return file, nil
}

// arguments returns those of the go command that runs the program of a picture.
func (m *measurements) arguments(p picture, file string) ([]string, error) {
	args := []string{"run", module + "/" + p.program, "-csv", file}
	if m.quick && strings.HasPrefix(p.program, "experiments/") { // the others take a second
		args = append(args, "-quick")
	}
	if m.data != "" && p.data {
		// The program runs in another folder.
		data, err := filepath.Abs(m.data)
		if err != nil {
			return nil, err
		}
		args = append(args, "-data", data)
	}
	return args, nil
}

// remove removes the files.
func (m *measurements) remove() {
	if m.folder != "" {
		os.RemoveAll(m.folder)
	}
}
