// SPDX-License-Identifier: Apache-2.0

import Roost
package import RoostModel
import RoostTestKit

/// A selection of messages in a channel with one of each kind.
package enum MessageSelection: CaseIterable, Sendable {
    case files
    case notes
    case carols
    case all

    /// The selected ones of the messages of `AppStory.sendMessages(to:)`, oldest first.
    package var names: [String] {
        switch self {
        case .files: ["file"]
        case .notes: ["note"]
        case .carols: ["hers"]
        case .all: ["text", "note", "file", "hers"]
        }
    }

    /// The selected ones after some calls of `AppStory.sendMessages(to:)`.
    package func names(times: Int) -> [String] { (0..<times).flatMap { _ in names } }

    /// The plain text "mine" of Alice, where it is selected.
    package var mine: [String] { self == .all ? ["mine"] : [] }
}

extension AppStory {
    /// Lets Bob send a text, a text of the custom type "note" and a file, and Carol a text.
    package func sendMessages(to channel: ChannelURL) async throws {
        let carol = try await world.launch(world.device(of: "carol"))
        try await carol.connect()
        // The second invitation changes nothing.
        try await bob.makeNow(.invite(["carol"]), in: channel)
        try await bob.send("text", to: channel)
        await bob.waitUntilIdle()
        var note = UserMessageParams(text: "note")
        note.customType = "note"
        try await bob.send(note, to: channel)
        await bob.waitUntilIdle()
        let file = OutgoingFile(.url("https://files.test/a.png"), name: "a.png")
        try await bob.send(FileMessageParams(files: [file]), to: channel)
        await bob.waitUntilIdle()
        try await carol.send("hers", to: channel)
        await carol.waitUntilIdle()
        await carol.close()
    }
}
