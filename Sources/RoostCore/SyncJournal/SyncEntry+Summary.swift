// SPDX-License-Identifier: Apache-2.0

import RoostModel

// The journal as text.

extension SyncEntry {
    /// The input and the decision, in one line.
    package var summary: String {
        let outcome = outcome.summary
        return outcome.isEmpty ? step.summary : "\(step.summary) -> \(outcome)"
    }
}

extension SyncStep {
    fileprivate var summary: String {
        switch self {
        case .asked(let what, nil): "app opens \(what)"
        case .asked(let what, let channel?): "app opens \(what) of channel \(channel)"
        case .link(let input, _): "link: \(label(of: input))"
        case .frame(let name, nil): "frame: \(name)"
        case .frame(let name, let channel?): "frame: \(name) in channel \(channel)"
        case .call(let name, nil, let elapsed): "call: \(name), answered after \(elapsed) ms"
        case .call(let name, let code?, let elapsed):
            "call: \(name), failed with \(code) after \(elapsed) ms"
        case .sync(let channel, let question):
            "channel \(channel): timeline \(label(of: question.occasion))"
        case .page(let channel, let answer):
            "channel \(channel): page of \(answer.positions.count) messages"
        case .gap(let channel, let answer, let known, _):
            "channel \(channel): \(answer.positions.count) messages after \(known)"
        case .outbox(let input): "outbox: \(label(of: input))"
        case .commit(let sequence, let origin, let size):
            "disk: commit \(sequence) from \(origin), \(size.words)"
        }
    }
}

extension SyncOutcome {
    fileprivate var summary: String {
        switch self {
        case .none: ""
        case .link(let state, let effects): words(state, effects.map { label(of: $0) })
        case .sync(let sync): "\(label(of: sync))"
        case .page(let statement):
            (statement.range.map { "known \($0.lower) to \($0.upper)" } ?? "states nothing")
                + (statement.reachesNewest ? ", up to the newest" : "")
        case .gap(let verdict): label(of: verdict)
        case .outbox(let effects):
            effects.isEmpty ? "nothing" : effects.map { label(of: $0) }.joined(separator: ", ")
        }
    }

    private func words(_ state: LinkMachine.State, _ effects: [String]) -> String {
        ([label(of: state)] + effects).joined(separator: ", ")
    }
}

extension CommitSize {
    fileprivate var words: String {
        let parts = [
            ("new", inserted), ("changed", updated), ("gone", deleted), ("channels", channels),
            ("users", users),
        ]
        let told = parts.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
        return told.isEmpty ? "nothing visible" : told.joined(separator: ", ")
    }
}

/// Returns a case's name without its values: "loginSucceeded" becomes "login succeeded".
private func label(of value: some Any) -> String {
    "\(value)".prefix { $0 != "(" }.reduce(into: "") { text, letter in
        text += letter.isUppercase ? " \(letter.lowercased())" : String(letter)
    }
}
