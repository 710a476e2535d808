// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import SendBirdSDK
import SendBirdSyncManager
import Testing

extension SendBirdTests {
    /// Tests of the old libraries' names, as far as they can be tested without Objective-C.
    struct Names {
        private static let tables: [(module: String, names: ObjectiveCNames)] = [
            ("SendBirdSDK", .sendBirdSDK), ("SendBirdSyncManager", .syncManager),
        ]

        @Test
        func `each class of the doors is in the table under its old name (R157, R165, R214)`()
            throws
        {
            let sources = URL(filePath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")
            for (module, names) in Self.tables {
                for (name, type) in names.classes {
                    #expect("\(type)" == name)
                    #expect(NSStringFromClass(type) == "\(module).\(name)")
                }
                var found: Set<String> = []
                let folder = sources.appending(path: module)
                for file in try FileManager.default.contentsOfDirectory(atPath: folder.path)
                where file.hasSuffix(".swift") {
                    let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
                    for match in text.matches(of: /\npublic (?:final )?class (\w+)/) {
                        found.insert(String(match.1))
                    }
                }
                #expect(found == Set(names.classes.keys))
            }
        }

        @Test
        func `the repaired lines of the guides are those on a page (R13, R165)`()
            throws
        {
            let root = URL(filePath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
            let page = try String(
                contentsOf: root.appending(path: "docs/guide-samples.md"), encoding: .utf8)
            let listed = page.split(separator: "\n").filter { $0.hasPrefix("|") }
                .flatMap { $0.split(separator: "|") }
                .flatMap { $0.matches(of: /`([^`]+)`/).map { $0.1.replacing("… = ", with: "") } }
            let folder = root.appending(path: "Tests/GuideSamples")
            var count = 0
            for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
                for line in text.split(separator: "\n") where line.hasSuffix("// repaired") {
                    count += 1
                    #expect(listed.contains { line.contains($0) }, "\(line)")
                }
            }
            #expect(count > 20)
        }

        @Test func `constants have the numbers of the old headers (R209 to R212)`() {
            let orders: [(String, [String])] = [
                (
                    "SBSMChannelEventAction",
                    ["None", "Insert", "Update", "Remove", "Move", "Clear"]
                ),
                ("SBSMMessageEventAction", ["None", "Insert", "Update", "Remove", "Clear"]),
                ("SBSMMessageDirection", ["Previous", "Next"]),
            ]
            var expected: [String: Int] = [:]
            for (type, cases) in orders {
                for (number, name) in cases.enumerated() { expected[type + name] = number }
            }
            #expect(ObjectiveCNames.syncManager.constants == expected)
        }

        /// The methods that the guides call, in the spelling in which Swift imports them; compiling
        /// is the test.
        private static var messages: [String: Any] {
            [
                // Objects as bytes.
                "serialize": SBDBaseMessage.serialize,
                "buildFromSerializedData:": SBDBaseMessage.build(fromSerializedData:),
                // A database of the app's own.
                "getMessagesByTimestamp:params:completionHandler:":
                    SBDGroupChannel.getMessagesByTimestamp(_:params:completionHandler:),
                "getMessageChangeLogsSinceToken:params:completionHandler:":
                    SBDGroupChannel.getMessageChangeLogs(sinceToken:params:completionHandler:),
                "getMessageChangeLogsSinceTimestamp:params:completionHandler:":
                    SBDGroupChannel.getMessageChangeLogs(sinceTimestamp:params:completionHandler:),
                "getMyGroupChannelChangeLogsByToken:customTypes:completionHandler:":
                    SBDMain.getMyGroupChannelChangeLogs(byToken:customTypes:completionHandler:),
                "getMyGroupChannelChangeLogsByTimestamp:customTypes:completionHandler:":
                    SBDMain.getMyGroupChannelChangeLogs(byTimestamp:customTypes:completionHandler:),
                // The file cache.
                "saveMessages:channelUrl:": SBDFileCache.saveMessages(_:channelUrl:),
                "loadMessagesInChannel:": SBDFileCache.loadMessages(inChannel:),
                "saveChannels:": SBDFileCache.saveChannels(_:),
                "loadGroupChannels": SBDFileCache.loadGroupChannels,
                // The sync manager.
                "setupWithUserId:": SBSMSyncManager.setup(withUserId:) as (String) -> Void,
                "manager": SBSMSyncManager.manager,
                "resumeSynchronize": SBSMSyncManager().resumeSynchronize as () -> Void,
                "pauseSynchronize": SBSMSyncManager().pauseSynchronize as () -> Void,
                "clearCache": SBSMSyncManager().clearCache as () -> Void,
                "resetViewpointTimestamp:": SBSMMessageCollection.resetViewpointTimestamp(_:),
                "appendMessage:": SBSMMessageCollection.appendMessage(_:),
                "updateMessage:": SBSMMessageCollection.updateMessage(_:),
                "deleteMessage:": SBSMMessageCollection.deleteMessage(_:)
                    as (SBSMMessageCollection) -> (SBDBaseMessage?) -> Void,
                "remove": SBSMMessageCollection.remove,
                "fetchWithCompletionHandler:": SBSMChannelCollection.fetch(completionHandler:),
                "fetchInDirection:completionHandler:":
                    SBSMMessageCollection.fetch(in:completionHandler:)
                    as (SBSMMessageCollection) -> (SBSMMessageDirection, ((SBDError?) -> Void)?) ->
                    Void,
                "sendUserMessageWithParams:completionHandler:":
                    SBDGroupChannel.sendUserMessage(with:completionHandler:),
                "createMyGroupChannelListQuery": SBDGroupChannel.createMyGroupChannelListQuery,
                "connectWithUserId:completionHandler:": {
                    SBDMain.connect(withUserId: $0, completionHandler: $1)
                } as (String, ((SBDUser?, SBDError?) -> Void)?) -> Void,
                "disconnectWithCompletionHandler:": SBDMain.disconnect(completionHandler:),
                "removeAllChannelDelegates": SBDMain.removeAllChannelDelegates,
            ]
        }

        /// A delegate with the methods that the guides implement.
        private final class Delegate: SBSMChannelCollectionDelegate, SBSMMessageCollectionDelegate {
            func collection(
                _ collection: SBSMChannelCollection,
                didReceiveEvent action: SBSMChannelEventAction, channels: [SBDGroupChannel]
            ) {}
            func collection(
                _ collection: SBSMMessageCollection,
                didReceiveEvent action: SBSMMessageEventAction, messages: [SBDBaseMessage]
            ) {}

            static var messages: [String: Any] {
                [
                    "collection:didReceiveEvent:channels:":
                        Delegate.collection(_:didReceiveEvent:channels:),
                    "collection:didReceiveEvent:messages:":
                        Delegate.collection(_:didReceiveEvent:messages:),
                ]
            }
        }

        @Test
        func
            `the guides' Objective-C calls have a Swift spelling here (R13 to R16, R165, R208)`()
        {
            #expect(Self.messages.count == 28)
            #expect(Delegate.messages.count == 2)
        }
    }
}
