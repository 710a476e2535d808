// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import RoostDoors
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendbirdChatSDK
import Testing

extension SendbirdChatTests {
    /// Tests of parameters and queries as bytes.
    struct CodedParams {
        typealias Query = SendbirdChatSDK.GroupChannelListQuery

        private static func again<Params: Codable>(_ params: Params) throws -> Params {
            try JSONDecoder().decode(Params.self, from: JSONEncoder().encode(params))
        }

        private static func fill(_ params: BaseMessageCreateParams) {
            params.data = "{}"
            params.customType = "note"
            params.pushNotificationDeliveryOption = .suppress
            params.mentionedUserIds = ["bob"]
            params.metaArrays = [MessageMetaArray(key: "tags", value: ["a", "b"])]
            params.parentMessageId = 7
            params.isReplyToChannel = true
            params.isPinnedMessage = true
            params.isSilent = true
            params.appleCriticalAlertOptions = AppleCriticalAlertOptions(name: "bell", volume: 0.5)
        }

        private static func expectFilled(_ params: BaseMessageCreateParams) {
            #expect(params.data == "{}")
            #expect(params.customType == "note")
            #expect(params.pushNotificationDeliveryOption == .suppress)
            #expect(params.mentionedUserIds == ["bob"])
            #expect(params.metaArrays?.map(\.value) == [["a", "b"]])
            #expect(params.parentMessageId == 7)
            #expect(params.isReplyToChannel && params.isPinnedMessage && params.isSilent)
            #expect(params.appleCriticalAlertOptions?.volume == 0.5)
        }

        @Test func `parameters of a message are decoded as they were encoded`() throws {
            let text = UserMessageCreateParams(message: "hi")
            Self.fill(text)
            text.mentionedMessageTemplate = "hi @{bob}"
            text.pollId = 3
            text.translationTargetLanguages = ["de"]
            let sameText = try Self.again(text)
            Self.expectFilled(sameText)
            #expect(sameText.message == "hi")
            #expect(sameText.mentionedMessageTemplate == "hi @{bob}")
            #expect(sameText.pollId == 3)
            #expect(sameText.translationTargetLanguages == ["de"])

            let file = FileMessageCreateParams(file: Data("picture".utf8))
            Self.fill(file)
            (file.fileName, file.mimeType, file.fileSize) = ("a.png", "image/png", 7)
            file.thumbnailSizes = [.make(maxWidth: 320, maxHeight: 240)]
            let sameFile = try Self.again(file)
            Self.expectFilled(sameFile)
            #expect(sameFile.file == Data("picture".utf8))
            #expect(sameFile.fileName == "a.png")
            #expect(sameFile.fileSize == 7)
            #expect(sameFile.thumbnailSizes?.first?.maxSize.width == 320)
            let address = FileMessageCreateParams(fileURL: "https://files.example/a")
            #expect(try Self.again(address).fileURL == "https://files.example/a")
            let empty = try Self.again(FileMessageCreateParams())
            #expect(empty.file == nil && empty.fileURL == nil)

            let files = MultipleFilesMessageCreateParams(
                uploadableFileInfoList: ["a", "b"].map { UploadableFileInfo(file: Data($0.utf8)) })
            Self.fill(files)
            let sameFiles = try Self.again(files)
            Self.expectFilled(sameFiles)
            let contents = sameFiles.uploadableFileInfoList.map(\.file)
            #expect(contents == [Data("a".utf8), Data("b".utf8)])
            // A draft may have one file or none yet.
            for count in 0...1 {
                let draft = MultipleFilesMessageCreateParams(
                    uploadableFileInfoList: [UploadableFileInfo](
                        repeating: UploadableFileInfo(file: Data("a".utf8)), count: count))
                draft.message = "look"
                let same = try Self.again(draft)
                #expect(same.uploadableFileInfoList.count == count && same.message == "look")
            }
        }

        @Test func `parameters that were left out are nil after they were decoded`() throws {
            let text = try Self.again(UserMessageCreateParams(message: "hi"))
            #expect(text.data == nil && text.customType == nil)
            #expect(text.mentionedUserIds == nil && text.metaArrays == nil)
            let file = try Self.again(FileMessageCreateParams(file: Data("f".utf8)))
            #expect(file.fileName == nil && file.data == nil && file.message == nil)
            let files = try Self.again(
                MultipleFilesMessageCreateParams(
                    uploadableFileInfoList: [UploadableFileInfo(file: Data("f".utf8))]))
            let info = try #require(files.uploadableFileInfoList.first)
            #expect(info.fileName == nil)
            let scheduled = try Self.again(
                ScheduledFileMessageCreateParams(scheduledAt: 8, file: Data("f".utf8)))
            #expect(scheduled.fileName == nil)
        }

        @Test func `parameters of a scheduled message keep their time`() throws {
            let text = ScheduledUserMessageCreateParams(scheduledAt: 9, message: "later")
            Self.fill(text)
            let sameText = try Self.again(text)
            Self.expectFilled(sameText)
            #expect(sameText.scheduledAt == 9)
            #expect(sameText.message == "later")
            let file = ScheduledFileMessageCreateParams(scheduledAt: 8, file: Data("f".utf8))
            file.message = "look"
            let sameFile = try Self.again(file)
            #expect(sameFile.scheduledAt == 8)
            #expect(sameFile.file == Data("f".utf8))
            #expect(sameFile.message == "look")
        }

        @Test func `parameters of another kind of message are not decoded`() throws {
            let text = try JSONEncoder().encode(UserMessageCreateParams(message: "hi"))
            let file = try JSONEncoder().encode(FileMessageCreateParams(file: Data("f".utf8)))
            let decoder = JSONDecoder()
            #expect(throws: DecodingError.self) {
                try decoder.decode(FileMessageCreateParams.self, from: text)
            }
            #expect(throws: DecodingError.self) {
                try decoder.decode(MultipleFilesMessageCreateParams.self, from: text)
            }
            #expect(throws: DecodingError.self) {
                try decoder.decode(UserMessageCreateParams.self, from: file)
            }
            #expect(throws: DecodingError.self) {
                try decoder.decode(ScheduledUserMessageCreateParams.self, from: text)
            }
        }

        @Test func `a query is made again from its bytes, and from no others`() throws {
            try DoorStory.play(seed: 97) { story in
                for name in ["train", "boat"] { _ = try await story.channel(name) }
                await story.connect()
                let query = SendbirdChatSDK.GroupChannel.createMyGroupChannelListQuery {
                    $0.channelNameContainsFilter = "rai"
                    $0.setSearchFilter("train", fields: [.channelName])
                    $0.order = .channelNameAlphabetical
                    $0.limit = 7
                }
                let data = try #require(query.serialize())
                let same = try #require(Query.build(fromSerializedData: data))
                #expect(same.order == .channelNameAlphabetical)
                #expect(same.limit == 7)
                let names: [String]? = await story.wait { done in
                    same.loadNextPage { channels, _ in done(channels?.map(\.name)) }
                }
                #expect(names == ["train"])
                #expect(Query.build(fromSerializedData: nil) == nil)
                #expect(Query.build(fromSerializedData: Data("{".utf8)) == nil)
            }
        }

        @Test(arguments: ["Bob", "bob", "Bo", "Bob, too"])
        func `a nickname is compared as a whole, in the cache and on the server`(
            nickname: String
        ) throws {
            try DoorStory.play(seed: 98) { story in
                await story.world.add(RoostModel.User(id: "bob", nickname: "Bob"))
                _ = try await story.channel("train")
                await story.connect()
                let query = SendbirdChatSDK.GroupChannel.createMyGroupChannelListQuery {
                    $0.nicknameExactMatchFilter = nickname
                }
                for _ in 1...2 {
                    let page: [String]? = await story.wait { done in
                        query.loadNextPage { channels, _ in done(channels?.map(\.name)) }
                    }
                    if nickname != "Bob" { #expect(page == []) }
                }
                let channel = try await story.get(try await story.channel("boat"))
                #expect(query.belongsTo(channel: channel) == (nickname == "Bob"))
            }
        }

        @Test func `quiet hours of a week are set, read and removed`() throws {
            try DoorStory.play(seed: 99) { story in
                await story.connect()
                let week: DndSchedule = [
                    .friday: [
                        DndTimeWindow(startHour: 22, startMinute: 30, endHour: 7, endMinute: 0)
                    ],
                    .monday: [
                        DndTimeWindow(startHour: 0, startMinute: 0, endHour: 6, endMinute: 15)
                    ],
                ]
                let zone = try #require(TimeZone(identifier: "Asia/Seoul"))
                let error: SBError? = await story.wait { done in
                    SendbirdChat.setWeeklyDoNotDisturb(
                        schedules: week, timezone: zone, completionHandler: done)
                }
                #expect(error == nil)
                let (read, readZone): (DndSchedule?, TimeZone?) = await story.wait { done in
                    SendbirdChat.getWeeklyDoNotDisturb { schedule, zone, _ in
                        done((schedule, zone))
                    }
                }
                #expect(read == week)
                #expect(readZone?.identifier == "Asia/Seoul")
                let bad: SBError? = await story.wait { done in
                    SendbirdChat.setWeeklyDoNotDisturb(
                        schedules: [
                            .monday: [
                                DndTimeWindow(
                                    startHour: 24, startMinute: 0, endHour: 1, endMinute: 0)
                            ]
                        ], completionHandler: done)
                }
                #expect(bad?.errorCode == .invalidParameter)
                let cleared: SBError? = await story.wait { done in
                    SendbirdChat.clearWeeklyDoNotDisturb(completionHandler: done)
                }
                #expect(cleared == nil)
                let none: DndSchedule? = await story.wait { done in
                    SendbirdChat.getWeeklyDoNotDisturb { schedule, _, _ in done(schedule) }
                }
                #expect(none == [:])
            }
        }
    }
}
