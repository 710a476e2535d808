// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCommandLine
import RoostHost
import RoostWire

/// The world of `roost chat --demo`: a server in this process, two people, and their history.
struct ChatDemo {
    static let me = UserID("ada")

    let settings: Configuration
    private let host: ChatHost
    private let folder: TemporaryFolder
    private let people: [ChatClient]
    private let playing: [Task<Void, Never>]

    /// Starts the server, writes the history, and lets the people live.
    ///
    /// - Parameter change: Changes the settings of the server.
    /// - Returns: The demo; its `end` removes everything.
    /// - Throws: `.failed` if the server or a person cannot start; then nothing is left of them.
    static func start(
        _ change: (inout ChatHost.Configuration) -> Void = { _ in }
    ) async throws(CommandFailure) -> ChatDemo {
        let folder = try TemporaryFolder(named: "roost-chat")
        do throws(RoostError) {
            return try await start(in: folder, change)
        } catch {
            folder.remove()
            throw CommandFailure(.failed, "The demo cannot start: \(error.message)")
        }
    }

    private static func start(
        in folder: TemporaryFolder, _ change: (inout ChatHost.Configuration) -> Void
    ) async throws(RoostError) -> ChatDemo {
        var server = ChatHost.Configuration(
            dataFolder: "\(folder.path)/server", applicationID: "demo")
        server.apiToken = TemporaryFolder.makeSecret()
        change(&server)
        let host = try await ChatHost.start(server)
        let address = "http://127.0.0.1:\(host.port)"
        func client(of user: UserID, _ cache: Configuration.Cache) -> Configuration {
            Configuration(applicationID: "demo", server: address, userID: user, cache: cache)
        }
        var people: [ChatClient] = []
        let scene: ChatDemoScene
        do throws(RoostError) {
            for (id, name) in [("bo", "Bo"), ("cleo", "Cleo")] {
                let person = try await ChatClient.open(client(of: UserID(id), .memory))
                people.append(person)
                try await person.connect()
                try await person.updateProfile(ProfileUpdateParams(nickname: name))
            }
            await Self.name(me, "Ada", at: host)
            scene = try await ChatDemoScene.prepare(people, at: host)
        } catch {
            // The caller deletes their files.
            for person in people { await person.close() }
            await host.stop()
            throw error
        }
        let playing = people.enumerated().map { index, person in
            Task { await ChatDemoPerson(person, scene, isLeader: index == 0).live() }
        }
        return ChatDemo(
            settings: client(of: me, .folder("\(folder.path)/ada")), host: host, folder: folder,
            people: people, playing: playing)
    }

    /// Makes the user of the demo, so that the history can be hers.
    private static func name(_ user: UserID, _ nickname: String, at host: ChatHost) async {
        let body = JSONValue.object([
            JSONValue.Field("user_id", .string(user.rawValue)),
            JSONValue.Field("nickname", .string(nickname)),
            JSONValue.Field("profile_url", .string("")),
        ])
        _ = await host.callAsPlatform(
            APIRequest(.post, ["users"], body: Array(body.text.utf8)))
    }

    /// Ends people and server, and removes their files.
    func end() async {
        for task in playing { task.cancel() }
        for person in people { await person.close() }
        await host.stop()
        folder.remove()
    }
}

/// The channels of the demo and their history.
struct ChatDemoScene {
    let train: ChannelURL
    let library: ChannelURL
    let pair: ChannelURL

    /// The messages of a call that imports history.
    private static let pageSize = 100

    static func prepare(
        _ people: [ChatClient], at host: ChatHost
    ) async throws(RoostError) -> ChatDemoScene {
        let bo = people[0]
        func channel(_ name: String, _ members: [UserID]) async throws(RoostError) -> ChannelURL {
            var params = ChannelCreateParams(memberIDs: members, name: name)
            params.operatorIDs = [ChatDemo.me]
            return try await bo.createChannel(params).url
        }
        let library = try await channel("Library", [ChatDemo.me, "cleo"])
        let pair = try await channel("", [ChatDemo.me])
        let train = try await channel("Night train", [ChatDemo.me, "cleo"])
        await write(ChatDemoTexts.library, to: library, days: 9, at: host)
        await write(ChatDemoTexts.pair, to: pair, days: 3, at: host)
        await write(ChatDemoTexts.train, to: train, days: 2, at: host)
        return ChatDemoScene(train: train, library: library, pair: pair)
    }

    /// Imports lines that end some minutes ago and are spread over days.
    private static func write(
        _ lines: [ChatDemoTexts.Line], to channel: ChannelURL, days: Int64, at host: ChatHost
    ) async {
        let end = WallClock.now.milliseconds - 240_000
        let step = days * 86_400_000 / Int64(max(lines.count, 1))
        var messages: [JSONValue] = []
        for (index, line) in lines.enumerated() {
            let time = end - Int64(lines.count - 1 - index) * step
            messages.append(
                .object([
                    JSONValue.Field("message_type", "MESG"),
                    JSONValue.Field("user_id", .string(line.writer)),
                    JSONValue.Field("message", .string(line.text)),
                    JSONValue.Field("timestamp", .int(time)),
                ]))
        }
        for start in stride(from: 0, to: messages.count, by: pageSize) {
            let page = Array(messages[start..<min(start + pageSize, messages.count)])
            let body = JSONValue.object([JSONValue.Field("messages", .array(page))])
            _ = await host.callAsPlatform(
                APIRequest(.post, ["migration", channel.rawValue], body: Array(body.text.utf8)))
        }
    }
}
