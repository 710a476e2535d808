// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

/// The previews of parents in replies.
struct ThreadTests {
    @Test(arguments: StorageKind.allCases)
    func `replies show the present state of their parent everywhere (scar 116)`(
        kind: StorageKind
    ) async throws {
        let fixture = await ServerFixture(storage: try await kind.make())
        let ann = try await fixture.connect("ann")
        let bob = try await fixture.connect("bob")
        try await fixture.channel(of: ["ann", "bob"], by: ann)
        await fixture.send("root", "root", to: "g", on: ann)
        let root = try #require(
            try await fixture.server.log(of: "g").first?.message.messageID)
        for text in ["a", "b"] {
            var reply = MessageCommand(
                channelURL: "g", requestID: RequestID(text), content: .user(text: text))
            reply.parentID = root
            reply.isReplyToChannel = true
            await fixture.say(.message(reply), on: bob)
        }
        let ids = try await fixture.server.log(of: "g").compactMap(\.message.messageID)
        /// Returns the preview of each reply, from every source of previews.
        func previews() async throws -> [ParentPreview?] {
            func page(_ filter: MessageFilter) async throws -> [Message] {
                try await fixture.call(
                    ListMessages(
                        channelURL: "g", anchor: .time(.distantFuture), previousLimit: 10,
                        nextLimit: 0, filter: filter), as: bob
                ).messages
            }
            let changes = try await fixture.call(
                MessageChangeLog(channelURL: "g", cursor: .since(Timestamp(milliseconds: 0))),
                as: bob)
            let one = try await fixture.call(
                GetMessage(channelURL: "g", messageID: ids[1]), as: bob)
            let channel = try await fixture.call(GetChannel(channelURL: "g"), as: bob)
            let told =
                try await page(.everything) + page(MessageFilter(parentID: root))
                + changes.updated + [one] + [channel.lastMessage].compactMap { $0 }
            let replies = told.filter { $0.parentID == root }
            #expect(replies.count == 8)
            return replies.map(\.details.parentPreview)
        }
        #expect(try await previews().allSatisfy { $0?.content == .user(text: "root") })
        var edit = EditCommand(channelURL: "g", messageID: root, requestID: "edit")
        edit.text = "root!"
        edit.data = "new"
        await fixture.say(.edit(edit), on: ann)
        let edited = try await previews()
        #expect(edited.allSatisfy { $0?.content == .user(text: "root!") && $0?.data == "new" })
        #expect(edited.allSatisfy { $0?.sender?.id == "ann" && $0?.createdAt != nil })
        // A repeated reply is answered in its present state.
        var again = MessageCommand(channelURL: "g", requestID: "a", content: .user(text: "a"))
        again.parentID = root
        _ = try bob.inbox.take()
        await fixture.say(.message(again), on: bob)
        #expect(
            try bob.inbox.take().first?.message?.message.details.parentPreview == edited[0])

        try await fixture.call(DeleteMessage(channelURL: "g", messageID: root), as: ann)
        #expect(try await previews() == Array(repeating: nil, count: 8))
    }
}
