// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

/// The texts of inputs and effects in a journal.
struct EffectTextTests {
    private typealias Script = MachineScript
    private typealias Effect = SyncMachine.Effect

    private struct Point: Sendable {
        var name = "here"
        var x: Int? = 1
        var y: Int?
    }

    /// Every text of the app or of a user stands in angle brackets.
    private static var writer: EffectText { EffectText { "<\($0)>" } }

    private static let random: RequestID = "0123456789abcdef0123456789abcdef"

    private static let texts: [(any Sendable, String)] = [
        (random, random.rawValue),
        (RequestID("by the app"), "<by the app>"),
        (Script.channel, "<c>"),
        (UserID("me"), "<me>"),
        ("", "\"\""), ("hello", "<hello>"),
        ([1, 2, 3] as [UInt8], "bytes"),
        (Timestamp(milliseconds: 12), "12"),
        (Duration.seconds(2), "2.0 seconds"),
        (Int?.none, "nil"), (Int?.some(3), "3"),
        (7, "7"), (true, "true"),
        ([MessageID(4), MessageID(5)], "[4, 5]"), ([Int](), "[]"),
        (Set(["b", "a", "c"]), "{<a>, <b>, <c>}"),
        (["b": 2, "a": 1], "{<a>: 1, <b>: 2}"),
        ((1, "a"), "(1, <a>)"), ((at: 1, of: "a"), "(at: 1, of: <a>)"),
        (Point(), "(name: <here>, x: 1)"),
        (Effect.notice(.closeSocket), ".notice(.closeSocket)"),
        (Effect.finish(Script.ID(3), .count(2)), ".finish(3, .count(2))"),
        (Effect.limit(Script.ID(3), .seconds(8)), ".limit(3, 8.0 seconds)"),
        (
            Effect.notice(.openSocket(2, sessionKey: nil, isInForeground: true)),
            ".notice(.openSocket(2, isInForeground: true))"
        ),
    ]

    @Test(arguments: texts.indices)
    func `a value is written with names in place of texts`(_ index: Int) {
        let (value, text) = Self.texts[index]
        #expect(Self.writer.text(of: value) == text)
    }

    @Test func `an error is written by its code, without the server's sentence`() {
        let code = RoostError.Code.notAMember
        let secret = "the secret of the room"
        let errors: [(Any, String)] = [
            (RoostError(code, remedy: .correctInput, message: secret), "error \(code)"),
            (ServerError(code, secret), "error \(code)"),
            (LinkMachine.Refusal(code: code, message: secret), "refusal \(code)"),
        ]
        for (error, text) in errors { #expect(Self.writer.text(of: error) == text) }
        let failed = Outcome.failed(RoostError(code, remedy: .correctInput, message: secret))
        #expect(Self.writer.text(of: failed) == ".failed(error \(code))")
    }

    @Test func `the texts of messages do not appear`() {
        let writer = EffectText { _ in "name" }
        let text = writer.text(of: Mutation.messages("c", [Script.message(5)], covering: nil))
        #expect(text.contains("5") && !text.contains("text 5"))
    }

    @Test func `a long text is cut, and two long texts of one beginning differ`() {
        let long = (1...200).map { MessageID($0) }
        let other = (1...201).map { MessageID($0) }
        let (first, second) = (Self.writer.text(of: long), Self.writer.text(of: other))
        #expect(first.hasPrefix("[1, 2, 3") && first.utf8.count < 340)
        #expect(first != second && first.prefix(300) == second.prefix(300))
        #expect(first == Self.writer.text(of: long))
    }
}
