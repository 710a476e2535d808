// SPDX-License-Identifier: Apache-2.0

import Testing

/// The rules for numbers from outside, because a number that traps ends the reader's process.
struct NumberRulesTests {
    /// The modules that read numbers of a peer, a file or an app.
    private static let modules = [
        "RoostModel", "RoostWire", "RoostServer", "RoostHost", "RoostCore", "Roost", "RoostStore",
        "RoostTransport", "RoostFileCache", "RoostDoors", "SendbirdChatSDK", "SendBirdSDK",
        "SendBirdSyncManager", "RoostCluster", "RoostHistory", "RoostConformance",
    ]

    /// Checks every line of code that contains one of some words against a pattern, except for
    /// lines that contain one of the exceptions.
    ///
    /// A search for words takes a small part of a pattern's time, and each match contains one.
    private func expectNone(
        _ pattern: String, words: [String], in modules: [String] = modules,
        except: [String: String] = [:], _ advice: String
    ) throws {
        let pattern = try Regex(pattern)
        for module in modules {
            for file in try Project.swiftFiles(below: "Sources/" + module) {
                let exceptions = except.filter { file.hasSuffix($0.key) }.map(\.value)
                for line in try Project.text(file).split(separator: "\n")
                where words.contains(where: { line.contains($0) }) {
                    let code = line.trimmingPrefix(while: \.isWhitespace)
                    if code.hasPrefix("//") || exceptions.contains(where: code.contains) {
                        continue
                    }
                    let isFound = code.firstMatch(of: pattern) != nil
                    #expect(!isFound, "\(file): \(code) - \(advice)")
                }
            }
        }
    }

    @Test func `calculations with times and IDs use saturating operations`() throws {
        try expectNone(
            #"\b(milliseconds|rawValue|attoseconds)\)* ([-+*]|[-+*]=) "#,
            words: ["milliseconds", "rawValue", "attoseconds"],
            except: [
                "RateLimiter.swift": "components.seconds + (components.attoseconds > 0 ? 1 : 0)",
                // A text.
                "FileCache.swift": #"SerializedLine.digest(user.rawValue) + "_channellist""#,
            ], "use advanced(by:), milliseconds(since:), next, previous or addingSaturated")
        try expectNone(
            #" [-+*]=? [\w.()?$]*\.(milliseconds|rawValue)\b(?!\.(filter|utf8))"#,
            words: [".milliseconds", ".rawValue"],
            "use advanced(by:), milliseconds(since:) or addingSaturated")
        try expectNone(
            #"components\.seconds \*|seconds \* 1_?000\b"#, words: ["seconds *"],
            "use wholeMilliseconds")
    }

    @Test func `numbers of the wire are read with a range`() throws {
        // Numbers without a range: codes and categories, which are only compared, and a poll's own
        // numbers.
        let plain = [
            "case \"code\": code =", "case \"cat\": category =", "numbers[name] =",
            "ReplyPolicy(rawValue:", "case \"poll_id\": pollID =", "case \"id\": id =",
            "case \"option_id\": option =", "case \"id\": ping.id =", "let remaining =",
            "let moment = try reader.readInt64IfPresent() ?? -1", "MessageID(try readInt64())",
            // The polls of a change log, and the options of a vote.
            " PollID(try reader.readInt64())", " PollOptionID(try reader.readInt64())",
        ]
        let reading = try Regex(#"\bread(Int64|Int64IfPresent|IntIfPresent)\(\)"#)
        for folder in ["Objects", "Frames", "REST"] {
            for file in try Project.swiftFiles(below: "Sources/RoostWire/" + folder) {
                for line in try Project.text(file).split(separator: "\n")
                where line.contains("read") && line.firstMatch(of: reading) != nil {
                    #expect(
                        plain.contains(where: line.contains),
                        "\(file): \(line) - JSONReader+Ranges.swift has a reader with a range")
                }
            }
        }
    }

    @Test func `floating-point numbers become whole ones exactly or not at all`() throws {
        try expectNone(
            #"\bInt(64)?\((?!exactly|clamping|min\()[^)]*(rounded\(|Double\(|timeInterval)"#,
            words: ["rounded(", "Double(", "timeInterval"],
            except: [
                // The clock of this machine.
                "LogWriter.swift": "timeIntervalSince1970",
                "LiveServerWorld.swift": "timeIntervalSince1970",
            ], "use exactly: or a bound")
    }

    @Test func `narrowing of numbers says how it treats those that do not fit`() throws {
        // A byte, a digit, an index of a small table.
        let small = [
            "JSONReader+Fields.swift": "UInt8(index)", "JSONWriter.swift": "UInt8(rest % 10)",
            "Array+Payload.swift": "append(UInt8(rest))",
            "MultipartReader.swift": "Int32(needle[0])",
            "LetterReader.swift": "Int32(UTF8.width(", "StoreLocation.swift": "radix: 16",
            // A text, or nil.
            "OriginPolicy.swift": "UInt8($0) != nil",
        ]
        try expectNone(
            #"\b(Int8|Int16|Int32|UInt8|UInt16|Int32)\((?!ascii:|exactly:|clamping:|truncatingIfNeeded:|bitPattern:|\)|digit\)|0x)"#,
            words: ["Int8(", "Int16(", "Int32("],
            except: small, "say exactly:, clamping: or truncatingIfNeeded:")
    }
}
