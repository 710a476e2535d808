// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import RoostModel
import RoostTestKit
import SendbirdChatSDK
import Testing

extension SendbirdChatTests {
    /// An app whose network is up while the server accepts no socket.
    struct Socketless {
        private static func params() -> FileMessageCreateParams {
            let params = FileMessageCreateParams(file: Data("picture".utf8))
            params.fileName = "a.png"
            return params
        }

        /// Plays a story in which Alice, once connected, has lost her socket.
        private static func play(
            seed: UInt64,
            _ story:
                @escaping @Sendable (
                    DoorStory, ChannelURL, SendbirdChatSDK.GroupChannel, Uploads
                ) async throws -> Void
        ) throws {
            try DoorStory.play(seed: seed) { play in
                let url = try await play.channel("train")
                await play.connect()
                let channel = try await play.get(url)
                await play.world.pass()
                let uploads = Uploads()
                play.phone.network.observe { uploads.note($0) }
                play.phone.network.weather.busyLogin = 1000
                await play.phone.network.loseSockets()
                await play.world.pass(.milliseconds(100))
                try await story(play, url, channel, uploads)
            }
        }

        @Test
        func `a file is uploaded and sent without a socket while the network is up (R144, R146)`()
            throws
        {
            try Self.play(seed: 47) { story, url, channel, uploads in
                let answers = Answers<(FileMessage?, SBError?)>()
                channel.sendFileMessage(params: Self.params()) { answers.values.append(($0, $1)) }
                await story.world.pass(.seconds(30))
                #expect(uploads.count == 1)
                #expect(uploads.sentByHTTP == 1)
                let log = try await story.world.log(of: url)
                #expect(log.count == 1)
                #expect(answers.values.count == 1)
                #expect(answers.values.first?.0?.sendingStatus == .succeeded)
                #expect(answers.values.first?.1 == nil)
                // The next connection sends it no second time.
                story.phone.network.weather = .calm
                await story.world.pass(.seconds(60))
                #expect(uploads.count == 1 && uploads.sentByHTTP == 1)
                let later = try await story.world.log(of: url)
                #expect(later.count == 1)
                #expect(answers.values.count == 1)
            }
        }

        @Test
        func `without a socket a text waits, and the file behind it too (R142, R144)`() throws {
            try Self.play(seed: 48) { story, url, channel, uploads in
                channel.sendUserMessage("first")
                channel.sendFileMessage(params: Self.params())
                await story.world.pass(.seconds(30))
                #expect(uploads.count == 0)
                #expect(try await story.world.log(of: url).isEmpty)
                story.phone.network.weather = .calm
                await story.world.pass(.seconds(60))
                let log = try await story.world.log(of: url)
                #expect(log.count == 2 && log.first?.text == "first")
                #expect(uploads.count == 1 && uploads.sentByHTTP == 0)
            }
        }

        @Test
        func `a file is not uploaded after the app has disconnected (R144)`() throws {
            try Self.play(seed: 49) { story, url, channel, uploads in
                let _: Void = await story.wait { done in
                    SendbirdChat.disconnectWebSocket { done(()) }
                }
                channel.sendFileMessage(params: Self.params())
                await story.world.pass(.seconds(60))
                #expect(uploads.count == 0)
                let log = try await story.world.log(of: url)
                #expect(log.isEmpty)
            }
        }
    }
}
