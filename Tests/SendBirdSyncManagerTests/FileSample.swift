// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

import Foundation
import RoostSealing
import SendBirdSDK

// The page's code as it stands there, with the braces and the two words that it lost. What it leaves to the
// app is the app's here too: a sum cannot be undone, so that "hash" is Base64, and the sum only tells change.

final class FileSample {
    private var lines: [String: [String]] = [:]
    private var sums: [String: String] = [:]
    var writeCount = 0

    // Saving a serialized message.
    func save(message: SBDBaseMessage?) {
        guard let theMessage: SBDBaseMessage = message, theMessage.messageId != 0 else {    // Check the message.
            return      // A value of 0 indicates that the message has not sent to Sendbird server yet. The message of which ID is 0 should be excluded from caching
        }

        // Serialization
        let messageData: Data? = theMessage.serialize()

        // Encryption
        let messageHash: String? = SHA256StringFromData(messageData)    // Implement your own function for SHA256 encryption.

        // Writing the hashed message to a local file
        SaveHashIntoFile(messageHash, theMessage.channelUrl)       // Implement your own function which saves a hashed message into a local file.
    }

    // Loading messages with deserialization.
    func loadMessages(channelUrl: String) -> [SBDBaseMessage] {
        // Load hashed messages from a local file
        let messageHashs: [String] = LoadHashFromFile(channelUrl)

        // Decryption of the hashed messages
        let messageData: [Data] = messageHashs.compactMap { DecryptStringBySHA256($0) }     // Implement your own function for SHA256 decryption.

        // Deserialization
        var messages: [SBDBaseMessage] = []
        for data in messageData {
            let message: SBDBaseMessage? = SBDBaseMessage.build(fromSerializedData: data)
            if let theMessage: SBDBaseMessage = message {
                messages.append(theMessage)
            }
        }

        return messages
    }

    // Saving serialized group channels.
    func save(channels: [SBDGroupChannel]?) {
        guard let theChannels: [SBDGroupChannel] = channels else {
            return
        }

        var hashs: [String] = []
        for channel in theChannels {
            // Serialization
            let data: Data? = channel.serialize()

            // Encryption
            let hash: String? = SHA256StringFromData(data)      // Implement your own function for SHA256 encryption.

            if let theHash: String = hash {
                hashs.append(theHash)
            }
        }

        // Writing the hashed channels into a local file.
        SaveHashIntoFile(hashs)         // Implement your own function which saves hashed channels into a local file.
    }

    // Loading group channels with deserialization.
    func loadChannels() -> [SBDGroupChannel] {
        // Load the hashed channels from from a local file.
        let hashs: [String] = LoadChannelHashsFromFile()

        var channels: [SBDGroupChannel] = []
        for hash in hashs {
            // Decryption
            guard let data: Data = DecryptStringBySHA256(hash) else { continue }

            // Deserialization
            let channel: SBDGroupChannel? = SBDGroupChannel.build(fromSerializedData: data)
            if let theChannel: SBDGroupChannel = channel {
                channels.append(theChannel)
            }
        }

        return channels
    }

    // MARK: What the page leaves to the app

    private func SHA256StringFromData(_ data: Data?) -> String? { data?.base64EncodedString() }

    private func DecryptStringBySHA256(_ hash: String) -> Data? { Data(base64Encoded: hash) }

    private func SaveHashIntoFile(_ hash: String?, _ channelUrl: String?) {
        guard let hash, let channelUrl else { return }
        write((lines[channelUrl] ?? []).filter { $0 != hash } + [hash], channelUrl)
    }

    private func SaveHashIntoFile(_ hashs: [String]) { write(hashs, "channels") }

    private func LoadHashFromFile(_ channelUrl: String) -> [String] { lines[channelUrl] ?? [] }

    private func LoadChannelHashsFromFile() -> [String] { lines["channels"] ?? [] }

    private func write(_ hashs: [String], _ name: String) {
        let sum = [UInt8].sha256(of: Array(hashs.joined(separator: "\n").utf8)).description
        guard sums[name] != sum else { return }
        sums[name] = sum
        lines[name] = hashs
        writeCount += 1
    }
}
