// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// One user's newest messages and channels in plain files, for a screen that must not be empty.
///
/// The basic cache of the old guides: a file for each channel and one for the channel list, 100 items
/// at most, one on a line. Nothing is encrypted; the sidecar with the SHA-256 only tells change and damage.
/// Whoever wants more opens a `ChatClient`, which also takes over such a cache.
///
/// Calls read and write the disk where they are made. Two that save the same list at once leave one of
/// them, whole.
public struct FileCache: Sendable {
    /// What a file held.
    public struct Loaded<Value: Sendable>: Sendable {
        /// In the order in which they were saved.
        public let values: [Value]
        /// Lines that could not be read, or hold something else, and were left out.
        public let damagedLineCount: Int
        /// Whether data and sidecar agree; they do not after a crash between their moves.
        public let isConsistent: Bool
    }

    /// Items that a file keeps; of more, the last ones.
    public static let limit = 100

    private let disk: any FileCacheDisk
    /// The application's own folder; nil for a name that no folder can have.
    private let folder: String?
    private let user: UserID

    /// Names a cache; nothing is made before the first item is saved.
    ///
    /// - Parameters:
    ///   - folder: Where each application has its folder; it must exist.
    ///   - application: The application's ID, which becomes a folder's name.
    ///   - user: Whose lists these are; others never see them.
    public init(folder: String, application: String, user: UserID) {
        self.init(folder: folder, application: application, user: user, disk: SystemDisk())
    }

    package init(
        folder: String, application: String, user: UserID, disk: any FileCacheDisk
    ) {
        let isName = ![".", "..", ""].contains(application) && !application.contains("/")
        self.folder = isName ? "\(folder)/\(application)" : nil
        self.user = user
        self.disk = disk
    }

    // MARK: Messages

    /// Keeps the last messages of a list, in its order; unsent ones are left out.
    ///
    /// To be called when the chat screen stops. An empty list changes nothing.
    ///
    /// - Returns: False when there was nothing to keep or the disk refused. What was there stays, unless the
    ///   disk refused the last move: then neither file is there.
    @discardableResult
    public func save(_ messages: [Message], in channel: ChannelURL) -> Bool {
        let sent = messages.filter { $0.messageID != nil }
        return save(sent.map(SerializedLine.init), as: name(of: channel))
    }

    /// The messages kept of a channel, in the order in which they were saved; nil when there are none.
    public func loadMessages(in channel: ChannelURL) -> Loaded<Message>? {
        load(name(of: channel)) { line in
            guard let message = line.message, message.channelURL == channel else { return nil }
            return message
        }
    }

    // MARK: Channels

    /// Keeps the last channels of a list, in its order.
    ///
    /// - Returns: As `save(_:in:)`.
    @discardableResult
    public func save(_ channels: [GroupChannel]) -> Bool {
        save(channels.map(SerializedLine.init), as: listName)
    }

    /// The channels kept, in the order in which they were saved; nil when there are none.
    public func loadChannels() -> Loaded<GroupChannel>? { load(listName, \.channel) }

    // MARK: Files

    private func name(of channel: ChannelURL) -> String {
        SerializedLine.digest("\(user)_\(channel)")
    }

    private var listName: String { SerializedLine.digest(user.rawValue) + "_channellist" }

    private func save(_ lines: [SerializedLine], as name: String) -> Bool {
        guard let folder, !lines.isEmpty else { return false }
        guard disk.exists(folder) || disk.attempt({ try $0.makeFolder(folder) }) else {
            return false
        }
        let suffix = name.hasSuffix("_channellist") ? "_channellist" : ""
        let fresh = "\(folder)/\(disk.freshName())\(suffix)"
        return FilePair(path: "\(folder)/\(name)", on: disk).replace(
            with: lines.suffix(Self.limit).map(\.text).joined(separator: "\n"), by: fresh)
    }

    private func load<Value>(
        _ name: String, _ value: (SerializedLine) -> Value?
    ) -> Loaded<Value>? {
        guard let folder,
            let (text, isConsistent) = FilePair(path: "\(folder)/\(name)", on: disk).contents
        else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let values = lines.compactMap { value(SerializedLine(text: String($0))) }
        return Loaded(
            values: values, damagedLineCount: lines.count - values.count,
            isConsistent: isConsistent)
    }
}
