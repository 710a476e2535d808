// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostModel
import Testing

/// The table of docs/link-transitions.md, compared with the machine.
struct LinkTableTests {
    typealias Machine = LinkMachine

    private static let settings = Machine.Settings.standard
    private static let online: [Machine.Input] = [
        .connect, .opened(1), .loginSucceeded(1, settings),
    ]
    private static let wrongToken = Machine.Refusal(code: .tokenInvalid, message: "no")
    private static let trouble = Machine.Refusal(code: .internalServerError, message: "later")

    /// The inputs that lead to each state.
    private static let states: [(name: String, path: [Machine.Input])] = [
        ("idle", []),
        ("opening", [.connect]),
        ("authenticating", [.connect, .opened(1)]),
        ("awaiting token", [.connect, .opened(1), .loginRefused(1, wrongToken)]),
        ("online", online),
        ("awaiting pong", online + [.fired(.ping)]),
        ("backing off", [.connect, .lost(1, .closed)]),
        ("awaiting network", [.networkChanged(isUp: false), .connect]),
        ("asleep", online + [.appMoved(toForeground: false), .fired(.background)]),
        ("refused", [.connect, .opened(1), .loginRefused(1, wrongToken)]),
    ]

    /// Every input; those of the socket name the present socket.
    private static func inputs(_ epoch: Int) -> [(name: String, input: Machine.Input)] {
        [
            ("connect", .connect), (connectInBackground, .connect), ("disconnect", .disconnect),
            ("network lost", .networkChanged(isUp: false)),
            ("network found", .networkChanged(isUp: true)),
            ("to background", .appMoved(toForeground: false)),
            ("to foreground", .appMoved(toForeground: true)),
            ("socket opened", .opened(epoch)),
            ("login accepted", .loginSucceeded(epoch, settings)),
            ("login refused for good", .loginRefused(epoch, wrongToken)),
            ("login refused for now", .loginRefused(epoch, trouble)),
            ("server busy", .busy(epoch, retryAfter: .seconds(9))),
            ("frame received", .received(epoch)), ("answer missing", .answerMissing(epoch)),
            ("session expired", .expired(epoch)),
            ("socket lost", .lost(epoch, .closed)),
            ("certificate refused", .lost(epoch, .untrusted("no"))),
            ("token given", .token(epoch, .given)), ("token denied", .token(epoch, .denied)),
            ("token source failed", .token(epoch, .failed)),
            ("login timer", .fired(.login)), ("ping timer", .fired(.ping)),
            ("pong timer", .fired(.pong)), ("retry timer", .fired(.retry)),
            ("background timer", .fired(.background)), ("proof timer", .fired(.proof)),
            ("token timer", .fired(.token)),
        ]
    }

    private static let connectInBackground = "connect in background"

    private static func name(_ state: Machine.State) -> String {
        switch state {
        case .idle: "idle"
        case .opening(let attempt): "opening \(attempt)"
        case .authenticating(let attempt): "authenticating \(attempt)"
        case .awaitingToken(let attempt, _): "awaiting token \(attempt)"
        case .online(awaitsPong: false): "online"
        case .online(awaitsPong: true): "awaiting pong"
        case .backingOff(let attempt): "backing off \(attempt)"
        case .awaitingNetwork(let attempt): "awaiting network \(attempt)"
        case .asleep: "asleep"
        case .refused: "refused"
        }
    }

    private static func name(_ effect: Machine.Effect) -> String {
        switch effect {
        case .openSocket: "open socket"
        case .closeSocket: "close socket"
        case .sendPing: "ping"
        case .askToken: "ask for a token"
        case .arm(let timer, _): "start \(timer) timer"
        case .disarm(let timer): "stop \(timer) timer"
        case .wentOnline: "tell online"
        case .wentOffline: "tell offline"
        }
    }

    /// The machine's transitions in the form of the table's rows, without those that change
    /// nothing.
    private static func rows() -> [String] {
        var rows: [String] = []
        for (state, path) in states {
            for number in inputs(0).indices {
                var machine = Machine(tokenWait: state == "awaiting token" ? .seconds(60) : nil)
                for input in path { _ = machine.handle(input, entropy: 0) }
                let (name, input) = inputs(machine.epoch)[number]
                // A return of the network is an input only after its loss.
                if input == .networkChanged(isUp: true) {
                    _ = machine.handle(.networkChanged(isUp: false), entropy: 0)
                }
                if input == .appMoved(toForeground: true) || input == .fired(.background)
                    || name == connectInBackground
                {
                    _ = machine.handle(.appMoved(toForeground: false), entropy: 0)
                }
                let before = machine.state
                let effects = machine.handle(input, entropy: 0)
                guard machine.state != before || !effects.isEmpty else { continue }
                let told = effects.map(self.name).joined(separator: ", ")
                rows.append("| \(state) | \(name) | \(self.name(machine.state)) | \(told) |")
            }
        }
        return rows
    }

    @Test func `the documented table has exactly the machine's transitions (scars 130-134)`() throws
    {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(
            contentsOf: root.appendingPathComponent("docs/link-transitions.md"), encoding: .utf8)
        let names = Set(Self.states.map(\.name))
        let documented = text.split(separator: "\n").map(String.init).filter { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            return cells.count == 4 && cells[0].isEmpty == false && names.contains(cells[0])
        }
        let rows = Self.rows()
        #expect(Set(documented).subtracting(rows) == [], "in the table only")
        #expect(Set(rows).subtracting(documented) == [], "in the machine only")
        #expect(documented.count == rows.count)
    }
}
