// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import Testing

/// Replies on disk, and the previews of their parents.
struct ReplyPreviewTests {
    private static func reply(_ id: Int64, to parent: Message) -> Message {
        var reply = Fixture.message(id)
        reply.parentID = parent.messageID
        reply.details.parentPreview = parent.preview
        return reply
    }

    private static let parent = Fixture.message(1, text: "root")
    private static let edited = Fixture.message(1, text: "root!", updatedAt: 50)

    private func previews(_ store: Store) async throws -> [ParentPreview?] {
        try await store.reader.newest().filter { $0.parentID != nil }.map(\.details.parentPreview)
    }

    @Test func `an edit of a parent reaches its replies in the same commit (scar 116)`()
        async throws
    {
        let store = try await Store.test()
        let replies = [2, 4].map { Self.reply($0, to: Self.parent) }
        try await store.writer.commit([
            .messages(
                Fixture.channel, [Self.parent, replies[0], Fixture.message(3), replies[1]],
                covering: Fixture.range(1, 4))
        ])
        let commit = try await store.writer.commit([.edited(Self.edited)])
        #expect(commit.messages()?.updated.map(\.after.messageID) == [1, 2, 4])
        #expect(commit.messages()?.coverageAfter == commit.messages()?.coverageBefore)
        #expect(try await previews(store) == [Self.edited.preview, Self.edited.preview])
        // An older copy does not undo the edit, whichever way it comes.
        let late = try await store.writer.commit([
            .edited(Self.parent),
            .messages(Fixture.channel, [Self.parent], covering: Fixture.range(1, 1)),
        ])
        #expect(late.messages() == nil)
        // A page with the edit has the same effect as the event.
        let newer = Fixture.message(1, text: "root!!", updatedAt: 60)
        try await store.writer.commit([
            .messages(Fixture.channel, [newer], covering: Fixture.range(1, 1))
        ])
        #expect(try await previews(store) == [newer.preview, newer.preview])
        #expect(try await store.verify().findings == [])
        await store.close()
    }

    @Test func `a reply whose parent the user may not see stays without it (scar 116)`()
        async throws
    {
        let store = try await Store.test()
        var reply = Self.reply(2, to: Self.parent)
        reply.details.parentPreview = nil
        try await store.writer.commit([
            .messages(Fixture.channel, [Self.parent, reply], covering: Fixture.range(1, 2)),
            .edited(Self.edited),
        ])
        #expect(try await previews(store) == [nil])
        await store.close()
    }

    @Test func `the deletion of a parent removes its preview from its replies (scar 116)`()
        async throws
    {
        let store = try await Store.test()
        let reply = Self.reply(2, to: Self.parent)
        try await store.writer.commit([
            .messages(Fixture.channel, [Self.parent, reply], covering: Fixture.range(1, 2))
        ])
        let commit = try await store.writer.commit([.deleted(Fixture.channel, [1])])
        #expect(commit.messages()?.deleted.map(\.messageID) == [1])
        #expect(commit.messages()?.updated.map(\.after.messageID) == [2])
        #expect(try await store.reader.newest().map(\.messageID) == [2])
        #expect(try await previews(store) == [nil])
        await store.close()
    }

    @Test func `replies follow a parent outside the cache (scar 116)`() async throws {
        let store = try await Store.test()
        let reply = Self.reply(2, to: Self.parent)
        try await store.writer.commit([
            .messages(Fixture.channel, [reply], covering: Fixture.range(2, 2))
        ])
        let commit = try await store.writer.commit([.edited(Self.edited)])
        #expect(
            commit.messages()?.updated.map(\.after.details.parentPreview) == [
                Self.edited.preview
            ])
        #expect(commit.messages()?.coverageAfter == commit.messages()?.coverageBefore)
        try await store.writer.commit([.deleted(Fixture.channel, [1])])
        #expect(try await previews(store) == [nil])
        await store.close()
    }

    @Test func `a page with a parent updates replies that came before it (scar 116)`()
        async throws
    {
        let store = try await Store.test()
        var parent = Self.edited
        parent.details.threadInfo = ThreadInfo(replyCount: 1)
        try await store.writer.commit([
            .messages(
                Fixture.channel, [Self.reply(2, to: Self.parent)], covering: Fixture.range(2, 2))
        ])
        let commit = try await store.writer.commit([
            .messages(Fixture.channel, [parent], covering: Fixture.range(1, 1))
        ])
        #expect(commit.messages()?.inserted.map(\.messageID) == [1])
        #expect(commit.messages()?.updated.map(\.after.messageID) == [2])
        #expect(try await previews(store) == [parent.preview])
        await store.close()
    }

    @Test func `a late edit of a parent does not undo a newer edit in its replies (scar 116)`()
        async throws
    {
        let store = try await Store.test()
        let newer = Fixture.message(1, text: "root!!", updatedAt: 60)
        let reply = Self.reply(2, to: Self.parent)
        func put(_ message: Message) -> Mutation {
            let id = message.messageID?.rawValue ?? 0
            return .messages(Fixture.channel, [message], covering: Fixture.range(id, id))
        }
        try await store.writer.commit([put(reply)])
        try await store.writer.commit([.edited(newer)])
        var late = Self.edited
        late.details.threadInfo = ThreadInfo(replyCount: 1)
        // An edit, the parent itself, or the reply brings it.
        for mutation in [.edited(Self.edited), put(Self.reply(2, to: Self.edited)), put(late)] {
            try await store.writer.commit([mutation])
            #expect(try await previews(store) == [newer.preview])
        }
        // A server that leaves out the time of the edit may still bring a newer text.
        var untold = reply
        untold.details.parentPreview = ParentPreview(content: .user(text: "root!!!"))
        try await store.writer.commit([put(untold)])
        #expect(try await previews(store) == [untold.details.parentPreview])
        await store.close()
    }

    @Test func `an edit known of the parent reaches a later reply (scar 116)`()
        async throws
    {
        let store = try await Store.test()
        let old = Self.reply(2, to: Self.parent)
        try await store.writer.commit([
            .messages(Fixture.channel, [Self.edited, old], covering: Fixture.range(1, 2))
        ])
        // A page from before the first edit does not show its age.
        try await store.writer.commit([
            .messages(Fixture.channel, [old], covering: Fixture.range(2, 2))
        ])
        #expect(try await previews(store) == [Self.parent.preview])
        try await store.writer.commit([.edited(Self.edited)])
        #expect(try await previews(store) == [Self.edited.preview])
        await store.close()
    }

    @Test func `replies follow a parent that an edit removes from the coverage (scar 116)`()
        async throws
    {
        let store = try await Store.test()
        let filter = MessageFilter(customTypes: ["sticker"], replyType: .all)
        var parent = Self.parent
        parent.customType = "sticker"
        var reply = Self.reply(2, to: parent)
        reply.customType = "sticker"
        try await store.writer.commit([
            .messages(
                Fixture.channel, [parent, reply], covering: Fixture.range(1, 2), under: filter)
        ])
        var edited = Self.edited
        edited.customType = "note"
        let commit = try await store.writer.commit([.edited(edited)])
        #expect(commit.messages()?.deleted.map(\.messageID) == [1])
        #expect(commit.messages()?.updated.map(\.after.details.parentPreview) == [edited.preview])
        await store.close()
    }
}
