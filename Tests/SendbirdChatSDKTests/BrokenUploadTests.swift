// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import Roost
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendbirdChatSDK
import Testing

@testable import CallSitesV4

extension SendbirdChatTests {
    /// Tests of files whose upload breaks off.
    struct BrokenUploads {
        enum Fault: CaseIterable {
            /// The link is cut while the file is on its way.
            case cutLink
            /// The file is lost on its way, and the socket stays.
            case lostFile
        }

        @Test(arguments: Fault.allCases)
        func `a file whose upload breaks off is uploaded again and arrives once (R140)`(
            fault: Fault
        ) throws {
            try DoorStory.play(seed: 47) { story in
                let url = try await story.channel("train")
                await story.connect()
                let view = try #require(ChatView.CustomViewController(coder: NSCoder()))
                let channel = try await story.get(url)
                view.channel = channel
                view.createMessageCollection()
                view.initialize()
                await story.world.pass()

                let network = story.phone.network
                let uploads = Uploads()
                network.observe { line in uploads.note(line) }
                if fault == .lostFile { network.weather.lostRequest = 1000 }
                let bytes = [UInt8](repeating: 7, count: 200_000)
                let answers = Answers<(status: SendbirdChatSDK.MessageSendingStatus?, code: Int?)>()
                channel.sendFileMessage(params: FileMessageCreateParams(file: Data(bytes))) {
                    answers.values.append(($0?.sendingStatus, $1?.code))
                }
                for _ in 0..<10_000 where !uploads.isRequested {
                    await story.world.pass(.milliseconds(1))
                }
                #expect(uploads.count == 1)
                if fault == .cutLink { await network.cut() }
                network.weather = .calm
                // A lost file is missed after a minute at the latest.
                await story.world.pass(.seconds(90))
                #expect(answers.values.map(\.status) == [.pending])
                #expect(answers.values.allSatisfy { $0.code != nil })
                if fault == .cutLink {
                    #expect(view.collection?.pendingMessages.count == 1)
                    #expect(try await story.world.log(of: url).isEmpty)
                    network.restore()
                    await story.world.pass(.seconds(120))
                }
                #expect(uploads.count == 2)
                #expect(answers.values.count == 1)
                #expect(view.collection?.pendingMessages.isEmpty == true)
                #expect(view.collection?.succeededMessages.count == 1)
                let log = try await story.world.log(of: url)
                #expect(log.count == 1)
                guard case .file(let file) = log.first?.content else {
                    return #expect(Bool(false))
                }
                #expect(try await story.world.file(at: file.url) == bytes)
                view.dispose()
            }
        }
    }
}
