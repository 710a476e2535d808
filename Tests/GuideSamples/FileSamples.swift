// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// The page's code about files, line for line, with its missing lines; see docs/guide-samples.md.
// The helpers that the page leaves to the app are here too: a checksum cannot be reversed, so
// "hash" is Base64, and the checksum only detects changes.

import Foundation
import SendBirdSDK

final class FileSample {
    /// The channel on screen.
    private let channelUrl: String
    private var lines: [String: [String]] = [:]
    private var sums: [String: String] = [:]
    private(set) var writeCount = 0

    private let sum: (String) -> String

    init(channelUrl: String, sum: @escaping (String) -> String) {
        self.channelUrl = channelUrl
        self.sum = sum
    }

    // Saving a serialized message.
    func save(message: SBDBaseMessage?) {
        guard let theMessage: SBDBaseMessage = message, theMessage.messageId != 0 else {    // Check the message.
            return      // A value of 0 indicates that the message has not sent to Sendbird server yet. The message of which ID is 0 should be excluded from caching
        } // repaired

        // Serialization
        let messageData: Data? = theMessage.serialize()

        // Encryption
        let messageHash: String? = SHA256StringFromData(messageData)    // Implement your own function for SHA256 encryption.

        // Writing the hashed message to a local file
        SaveHashIntoFile(messageHash)       // Implement your own function which saves a hashed message into a local file.
    } // repaired

    // Loading messages with deserialization.
    func loadMessages(channelUrl: String) -> [SBDBaseMessage] {
        // Load hashed messages from a local file
        let messageHashs: String? = LoadHashFromFile(channelUrl)

        // Decryption of the hashed messages
        let messageData: [Data]? = DecryptStringBySHA256(messageHashs) // repaired

        // Deserialization
        var messages: [SBDBaseMessage] = []
        for data in messageData ?? [] { // repaired
            let message: SBDBaseMessage? = SBDBaseMessage.build(fromSerializedData: data) // repaired
            if let theMessage: SBDBaseMessage = message {
                messages.append(theMessage) // repaired
            } // repaired
        } // repaired

        return messages
    } // repaired

    // Saving serialized group channels.
    func save(channels: [SBDGroupChannel]?) {
        guard let theChannels: [SBDGroupChannel] = channels else {
            return // repaired
        } // repaired

        var hashs: [String] = []
        for channel in theChannels {
            // Serialization
            let data: Data? = channel.serialize()

            // Encryption
            let hash: String? = SHA256StringFromData(data)      // Implement your own function for SHA256 encryption.

            if let theHash: String = hash {
                hashs.append(theHash) // repaired
            } // repaired
        } // repaired

        // Writing the hashed channels into a local file.
        SaveHashIntoFile(hashs)         // Implement your own function which saves hashed channels into a local file.
    } // repaired

    // Loading group channels with deserialization.
    func loadChannels() -> [SBDGroupChannel] {
        // Load the hashed channels from from a local file.
        let hashs: [String] = LoadChannelHashsFromFile()

        var channels: [SBDGroupChannel] = []
        for hash in hashs {
            // Decryption
            let data: Data? = DecryptStringBySHA256(hash)

            // Deserialization
            let channel: SBDGroupChannel? = data.flatMap { SBDGroupChannel.build(fromSerializedData: $0) } // repaired
            if let theChannel: SBDGroupChannel = channel {
                channels.append(theChannel) // repaired
            } // repaired
        } // repaired

        return channels
    } // repaired

    // MARK: The helpers that the page leaves to the app

    private func SHA256StringFromData(_ data: Data?) -> String? { data?.base64EncodedString() }

    private func DecryptStringBySHA256(_ hash: String) -> Data? { Data(base64Encoded: hash) }

    private func DecryptStringBySHA256(_ hashs: String?) -> [Data]? {
        hashs?.split(separator: "\n").compactMap { Data(base64Encoded: String($0)) }
    }

    private func SaveHashIntoFile(_ hash: String?) {
        guard let hash else { return }
        write((lines[channelUrl] ?? []).filter { $0 != hash } + [hash], channelUrl)
    }

    private func SaveHashIntoFile(_ hashs: [String]) { write(hashs, "channels") }

    private func LoadHashFromFile(_ channelUrl: String) -> String? { lines[channelUrl]?.joined(separator: "\n") }

    private func LoadChannelHashsFromFile() -> [String] { lines["channels"] ?? [] }

    private func write(_ hashs: [String], _ name: String) {
        let sum = sum(hashs.joined(separator: "\n"))
        guard sums[name] != sum else { return }
        sums[name] = sum
        lines[name] = hashs
        writeCount += 1
    }
}
