// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostTestSupport
import Testing

/// A day of an app: Alice's and Bob's processes of one sample and their server, area by area.
final class AppDay {
    let app: String
    let folder: TemporaryFolder
    private var server: Server
    let platform: Platform
    let alice: RunningApp
    let bob: RunningApp
    /// The address of the channel "train", as a part of paths.
    private(set) var train = ""

    init(_ app: String) async throws {
        self.app = app
        folder = try TemporaryFolder()
        // The server comes back to its port, which no connection may take meanwhile.
        server = try await Server(folder, port: Int(try FreePort.next()))
        platform = Platform(port: server.port)
        alice = try RunningApp(app, "alice", in: folder, port: server.port)
        bob = try RunningApp(app, "bob", in: folder, port: server.port)
    }

    /// Returns the texts of the channel's messages at the server.
    private func texts() async throws -> [String] {
        let path = "group_channels/\(train)/messages?message_ts=0&next_limit=100"
        return try await platform.texts(path, "messages", "message")
    }

    // MARK: Areas

    /// The login with a token that ends during the first chat.
    func login() async throws {
        try await platform.call(
            "POST", "users", ["user_id": "alice", "nickname": "Alice", "profile_url": ""])
        let (short, long) = (
            try await platform.token(of: "alice", for: 10),
            try await platform.token(of: "alice", for: 3_600)
        )
        try await alice.tell("connect alice \(short)", "connected alice")
        try await alice.tell("me", "me: alice Alice")
        try await bob.tell("connect", "connected bob")
        try await bob.tell("list", "channels")
        try await alice.tell("create train bob", "created train")
        try await alice.tell("list", "channels train")
        try await alice.tell("open train", app == "ChatV4" ? "server" : "messages")
        try await alice.tell("send hello", "sent hello")
        // The server ends the session; the app asks its backend for the next token.
        let renewal = try await alice.tell("renew \(long)", "renewed")
        #expect(renewal.contains("token required"))
        try await alice.tell("state", "state open")
        try await alice.tell("send again", "sent again")
    }

    func channelList() async throws {
        try await bob.sees("added: train")
        try await bob.tell("channels", "channels train")
        let path = "users/bob/my_group_channels?show_empty=true"
        #expect(try await platform.texts(path, "channels", "name") == ["train"])
        train = try #require(try await platform.texts(path, "channels", "channel_url").first)
        try await bob.tell("open train", app == "ChatV4" ? "server" : "messages")
        try await bob.tell("await again", "shown again")
    }

    /// A message waits without a server, and is sent after the server's return.
    func chat() async throws {
        let port = server.port
        await server.stop()
        try await alice.tell("send later", "waiting later")
        try await alice.tell("await-pending later", "shown later")
        try await alice.tell("pending", "pending later")
        server = try await Server(folder, port: port)
        try await alice.tell("await later", "shown later")
        let pending = try await alice.tell("pending", "pending")
        #expect(pending.last == "pending")
        try await bob.tell("await later", "shown later")
        #expect(try await texts() == ["hello", "again", "later"])
    }

    func thread() async throws {
        try await bob.tell("reply hello me too", "replied me too")
        try await alice.sees("changed: hello (replies 1")
        try await alice.tell("thread hello", "thread of 1: me too")
    }

    func file() async throws {
        let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try content.write(to: URL(filePath: folder.file("view.png")))
        let sending = try await alice.tell(
            "file \(folder.file("view.png"))", "sent file view.png")
        #expect(sending.contains { $0.hasPrefix("uploaded ") })
        try await bob.tell("reply hello after the file", "replied")
        let files = try await bob.tell("files", "view.png 200000 image/png")
        let address = try #require(files.last?.split(separator: " ").last)
        #expect(try await platform.file(String(address)) == content)
    }

    func reaction() async throws {
        try await alice.tell("react hello heart", "reacted heart")
        try await bob.sees("changed: hello (replies 2, heart 1)")
        try await bob.tell("reactions hello", "reactions: heart by alice")
        try await alice.tell("unreact hello heart", "took back heart")
        try await bob.sees("changed: hello (replies 2)")
    }

    /// A refused message fails, and can be sent again or discarded.
    func moderation() async throws {
        let path = "group_channels/\(train)"
        try await alice.tell("mute bob", "done: mute bob")
        try await bob.sees("muted: bob")
        #expect(try await platform.texts("\(path)/mute", "muted_list", "user_id") == ["bob"])
        try await alice.tell("members", "members: alice (operator), bob (muted)")
        for text in ["unheard", "rude"] {
            try await bob.tell("send \(text)", "failed 900041 \(text)")
            try await bob.tell("await-failed \(text)", "shown \(text)")
        }
        try await bob.tell("failed", "failed unheard, rude")
        try await alice.tell("unmute bob", "done: unmute bob")
        try await bob.sees("unmuted: bob")
        try await bob.tell("resend", "sent unheard")
        try await bob.tell("discard", "discarded")
        try await alice.tell("await unheard", "shown unheard")
        #expect(try await texts().last == "unheard")

        try await alice.tell("ban bob", "done: ban bob")
        try await bob.sees("removed:")
        try await alice.tell("banned", "banned: bob")
        #expect(try await platform.texts("\(path)/members", "members", "user_id") == ["alice"])
        try await alice.tell("unban bob", "done: unban bob")
        try await alice.tell("invite bob", "done: invite bob")
        try await bob.sees("added: train")
        try await bob.tell("open train", app == "ChatV4" ? "server" : "messages")
        let failed = try await bob.tell("failed", "failed")
        #expect(failed.last == "failed")

        try await alice.tell("promote bob", "done: promote bob")
        let operators = try await platform.texts("\(path)/operators", "operators", "user_id")
        #expect(operators.sorted() == ["alice", "bob"])
        try await alice.tell("demote bob", "done: demote bob")
        try await alice.tell("members", "members: alice (operator), bob")
        try await alice.tell("freeze", "done: freeze")
        try await bob.sees("frozen: train")
        try await bob.tell("send frozen", "failed 900050")
        try await bob.tell("discard", "discarded")
        try await alice.tell("unfreeze", "done: unfreeze")
    }

    func push() async throws {
        let tokens = "users/alice/push/apns/device_tokens"
        try await alice.tell("register phone", "registered")
        let hex = "phone".utf8.map { String($0, radix: 16) }.joined()
        #expect(try await platform.get(tokens)["device_tokens"] as? [String] == [hex])
        try await alice.tell("notify-channel off", "notified in the channel of off")
        let preference = try await platform.get("users/alice/push_preference/\(train)")
        #expect(preference["push_trigger_option"] as? String == "off")
        try await alice.tell("quiet on", "quiet: 22:00 to 7:30 Europe/Berlin")
        let quiet = try await platform.get("users/alice/push_preference")
        #expect(quiet["do_not_disturb"] as? Bool == true)
        if app == "ChatV4" {
            try await alice.tell("notify mentions", "notified of mentionOnly")
            let wish = try await platform.get("users/alice/push_preference")
            #expect(wish["push_trigger_option"] as? String == "mention_only")
        }
        try await alice.tell("unregister phone", "unregistered")
        #expect(try await platform.get(tokens)["device_tokens"] as? [String] == [])
    }

    func unreadCounts() async throws {
        try await alice.tell("read", "read")
        try await alice.tell("unread", "unread: 0 in 0")
        try await bob.tell("send one", "sent one")
        try await bob.tell("send two", "sent two")
        try await alice.tell("await two", "shown two")
        try await alice.tell("unread", "unread: 2 in 1")
        try await alice.tell("badge", "badge 2")
        let count = try await platform.get("users/alice/unread_message_count")
        #expect(count["unread_count"] as? Int == 2)
        try await alice.tell("read", "read")
    }

    func profile() async throws {
        try await bob.tell("nickname Bobby", "renamed Bobby")
        #expect(try await platform.get("users/bob")["nickname"] as? String == "Bobby")
        try await alice.tell("block bob", "blocked bob")
        try await alice.tell("blocked", "blocked: bob")
        #expect(try await platform.texts("users/alice/block", "users", "user_id") == ["bob"])
        try await alice.tell("unblock bob", "unblocked bob")
        #expect(try await platform.texts("users/alice/block", "users", "user_id") == [])
    }

    func search() async throws {
        try await alice.tell("search hello", "found: hello")
        try await alice.tell("users Bob", "users: bob")
    }

    func poll() async throws {
        try await alice.tell("poll lunch soup salad", "asked lunch")
        try await bob.tell("await lunch", "shown lunch")
        try await bob.tell("vote lunch salad", "voted salad")
        try await alice.tell("votes lunch", "votes: soup 0, salad 1")
    }

    func scheduledMessages() async throws {
        try await alice.tell("schedule tomorrow", "scheduled tomorrow")
        try await alice.tell("schedule never", "scheduled never")
        let scheduled = try await alice.tell("scheduled", "scheduled:")
        #expect(scheduled.last.map { $0.contains("tomorrow") && $0.contains("never") } == true)
        try await alice.tell("unschedule never", "done: unschedule never")
        try await alice.tell("send-now tomorrow", "done: send-now tomorrow")
        try await bob.tell("await tomorrow", "shown tomorrow")
        let rest = try await alice.tell("scheduled", "scheduled:")
        #expect(rest.last == "scheduled:")
        #expect(try await texts().contains("never") == false)
    }

    func openChannel() async throws {
        try await alice.tell("open-channel plaza", "opened plaza")
        try await alice.tell("enter plaza", "entered plaza")
        try await bob.tell("enter plaza", "entered plaza")
        try await alice.sees("came in: bob")
        try await bob.tell("say hey", "said hey")
        try await alice.tell("hear hey", "heard hey")
        try await alice.tell("participants", "participants: alice, bob")
        try await bob.tell("exit", "left plaza")
        let url = try #require(
            try await platform.texts("open_channels", "channels", "channel_url").first)
        let path = "open_channels/\(url)"
        let inside = try await platform.texts("\(path)/participants", "participants", "user_id")
        #expect(inside == ["alice"])
        let said = try await platform.texts(
            "\(path)/messages?message_ts=0&next_limit=10", "messages", "message")
        #expect(said == ["hey"])
        try await alice.tell("exit", "left plaza")
    }

    func background() async throws {
        try await alice.tell("background", "background")
        try await bob.tell("send meanwhile", "sent meanwhile")
        try await alice.tell("foreground", "foreground")
        try await alice.tell("await meanwhile", "shown meanwhile")
        try await alice.tell("send present", "sent present")
        try await bob.tell("await present", "shown present")
    }

    /// The next user of the device sees nothing of Alice's, nor does her cache leave the device.
    func logout() async throws {
        try await alice.tell("logout", "goodbye alice")
        try await alice.tell("state", "state closed")
        try await alice.tell("connect carol", "connected carol")
        try await alice.tell("me", "me: carol")
        let list = try await alice.tell("list", "channels")
        #expect(list.last == "channels")
        try await alice.tell("unread", "unread: 0 in 0")
        let path = "users/carol/my_group_channels?show_empty=true"
        #expect(try await platform.texts(path, "channels", "name") == [])
        try await alice.tell("create garden bob", "created garden")
        try await alice.tell("list", "channels garden")
        try await bob.sees("added: garden")

        try await alice.tell("logout", "goodbye carol")
        let token = try await platform.token(of: "alice", for: 3_600)
        try await alice.tell("connect alice \(token)", "connected alice")
        let again = try await alice.tell("list", "channels")
        #expect(again.last == "channels train")
        try await alice.tell("open train", app == "ChatV4" ? "server" : "messages")
        try await alice.tell("await present", "shown present")
        try await alice.quit()
        try await bob.quit()
        await server.stop()
    }
}
