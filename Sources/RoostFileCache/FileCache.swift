// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// One user's newest messages and channels in plain files, for a screen that must not be empty.
///
/// The basic cache of the old guides: a file for each channel and one for the channel list, with at
/// most 100 items, one a line. Nothing is encrypted; the SHA-256 in the sidecar file detects
/// changes and damage only. `ChatClient` offers more, and imports such a cache.
///
/// Calls read and write the disk on the caller's thread. Of two simultaneous saves of a list one
/// survives, complete, or none if the disk refuses the last step of one of them. The sidecar may be
/// that of the other.
public struct FileCache: Sendable {
    /// The contents of a file.
    public struct Loaded<Value: Sendable>: Sendable {
        /// The items, in the order of their saving.
        public let values: [Value]
        /// The number of lines that were left out, because they cannot be read or hold another kind
        /// of object.
        public let damagedLineCount: Int
        /// Whether file and sidecar agree.
        ///
        /// They may not after a crash between the two writes, or after two simultaneous saves; the
        /// next save repairs that.
        public let isConsistent: Bool
    }

    /// The number of items that a file keeps; of a longer list, the last ones.
    public static let limit = 100

    private let disk: any FileCacheDisk
    /// The folder of the application; nil if its ID cannot be a folder's name.
    private let folder: String?
    let user: UserID

    /// Creates a cache; no file is made before the first save.
    ///
    /// - Parameters:
    ///   - folder: The folder in which each application has its own; it must exist.
    ///   - application: The application's ID, which becomes a folder's name.
    ///   - user: The user whose lists these are; other users never see them.
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

    /// Saves the last messages of a list, in its order; unsent messages are left out.
    ///
    /// Call it when the chat screen stops. An empty list changes nothing.
    ///
    /// - Returns: Whether the list was saved. If not, the previous one stays, unless the disk
    ///   refused the last step; then neither exists.
    @discardableResult
    public func save(_ messages: [Message], in channel: ChannelURL) -> Bool {
        let sent = messages.filter { $0.messageID != nil }
        return save(sent.map(SerializedLine.init), as: name(of: channel))
    }

    /// Returns the saved messages of a channel, in their order; nil for none.
    public func loadMessages(in channel: ChannelURL) -> Loaded<Message>? {
        load(name(of: channel)) { line in
            guard let message = line.message, message.channelURL == channel else { return nil }
            return message
        }
    }

    // MARK: Channels

    /// Saves the last channels of a list, in its order.
    ///
    /// - Returns: As `save(_:in:)`.
    @discardableResult
    public func save(_ channels: [GroupChannel]) -> Bool {
        save(channels.map(SerializedLine.init), as: listName)
    }

    /// Returns the saved channels, in their order; nil for none.
    public func loadChannels() -> Loaded<GroupChannel>? { load(listName, \.channel) }

    // MARK: Files

    /// Removes the saved lists of all users of the application; other files in its folder stay.
    ///
    /// The names of the files do not tell whose they are.
    ///
    /// - Returns: Whether all of them are gone.
    @discardableResult
    public func removeAll() -> Bool {
        guard let folder else { return true }
        var areGone = true
        for name in disk.names(in: folder) where FilePair.Kind(name: name) != nil {
            if !disk.attempt({ try $0.remove("\(folder)/\(name)") }) { areGone = false }
        }
        return areGone
    }

    private func name(of channel: ChannelURL) -> String {
        SerializedLine.digest("\(user)_\(channel)")
    }

    private var listName: String { SerializedLine.digest(user.rawValue) + FilePair.listEnding }

    private func save(_ lines: [SerializedLine], as name: String) -> Bool {
        guard let folder, !lines.isEmpty else { return false }
        guard disk.exists(folder) || disk.attempt({ try $0.makeFolder(folder) }) else {
            return false
        }
        let ending = name.hasSuffix(FilePair.listEnding) ? FilePair.listEnding : ""
        let fresh = "\(folder)/\(disk.freshName())\(ending)"
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
