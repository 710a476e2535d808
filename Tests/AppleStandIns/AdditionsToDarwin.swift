// SPDX-License-Identifier: Apache-2.0

// A stand-in, see README.md: what Swift's own module Darwin adds to the C headers, because C has it
// as a macro or with any number of arguments.

internal import Darwin

var errno: Int32 {
    get { 0 }
    set {}
}

// swift-format-ignore: AlwaysUseLowerCamelCase
var S_IFMT: mode_t { 0o170000 }
// swift-format-ignore: AlwaysUseLowerCamelCase
var S_IFDIR: mode_t { 0o040000 }
// swift-format-ignore: AlwaysUseLowerCamelCase
var S_IFREG: mode_t { 0o100000 }

func fcntl(_ fd: Int32, _ cmd: Int32) -> Int32 { 0 }

func fcntl(_ fd: Int32, _ cmd: Int32, _ value: Int32) -> Int32 { 0 }

func open(_ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 { 0 }

func open(_ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: mode_t) -> Int32 { 0 }
