// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The greatest 64-bit number, under its name in C; Apple's platforms have it as a macro.
public let LONG_LONG_MAX = Int64.max
#endif
