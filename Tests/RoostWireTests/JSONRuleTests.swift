// SPDX-License-Identifier: Apache-2.0

import RoostTestSupport
import RoostWire
import Testing

/// The rules of RFC 8259, for both ways to read: as a tree and by skipping.
struct JSONRuleTests {
    private static func isAccepted(_ bytes: [UInt8]) -> Bool {
        (try? JSONValue(parsing: bytes)) != nil
    }

    private static func isSkipped(_ bytes: [UInt8]) -> Bool {
        do throws(WireError) {
            var reader = try JSONReader(bytes: bytes)
            try reader.skipValue()
            try reader.finish()
            return true
        } catch {
            return false
        }
    }

    @Test(arguments: JSONRules.accepted)
    func `what RFC 8259 allows is accepted`(rule: JSONRules.Rule) {
        for bytes in rule.texts {
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(Self.isAccepted(bytes) && Self.isSkipped(bytes), "\(text.debugDescription)")
        }
    }

    @Test(arguments: JSONRules.refused)
    func `what RFC 8259 forbids is refused`(rule: JSONRules.Rule) {
        for bytes in rule.texts {
            #expect(!Self.isAccepted(bytes) && !Self.isSkipped(bytes), "\(bytes)")
        }
    }
}
