// SPDX-License-Identifier: Apache-2.0

import RoostDoors
import RoostModel
import RoostWire

/// The reports of a message's uploads to the handlers of the app, which run one after another.
final class FileUploads {
    private let files: [UploadableFileInfo]
    private let handler: FileUploadHandler?
    /// The indices of the files that the handler knows of.
    private var reported: Set<Int> = []

    init(_ files: [UploadableFileInfo], _ handler: FileUploadHandler?) {
        self.files = files
        self.handler = handler
    }

    var progress: Callback<UploadStep> {
        guard let handler else { return .none }
        return Callback { [self] step in
            guard case .uploaded(let id, let index) = step, files.indices.contains(index) else {
                return
            }
            report(index, of: id.rawValue, nil, to: handler)
        }
    }

    /// Returns a handler that reports the other files before the outcome: those that needed no
    /// upload, or the one whose upload has failed.
    func outcome(
        _ completion: MultipleFilesMessageHandler?
    ) -> MultipleFilesMessageHandler? {
        guard let handler else { return completion }
        return { [self] message, error in
            let rest = files.indices.filter { !reported.contains($0) }
            switch message?.sendingStatus {
            case .succeeded?:
                for index in rest {
                    report(index, of: message?.requestId ?? "", nil, to: handler)
                }
            case .failed?:
                for index in rest.prefix(1) {
                    report(index, of: message?.requestId ?? "", error, to: handler)
                }
            default: break
            }
            completion?(message, error)
        }
    }

    private func report(
        _ index: Int, of requestId: String, _ error: SBError?, to handler: FileUploadHandler
    ) {
        reported.insert(index)
        handler(requestId, index, files[index], error)
    }
}

extension Callback where Value == UploadStep {
    static func progress(_ handler: MultiProgressHandler?) -> Self {
        uploadProgress(handler.map { handler in { handler($0.rawValue, $1, $2, $3) } })
    }
}

// MARK: - Refusals of the door

extension RoostError {
    static let noUpload = RoostError(
        .uploadCancelFailed, remedy: .none,
        message: "No message with this request ID waits for an upload.")
    static let noText = RoostError(
        .invalidParameter, remedy: .correctInput, message: "A message needs some text.")
    static let noFile = RoostError(
        .invalidParameter, remedy: .correctInput,
        message: "A file message needs bytes or the address of a file.")
    static let tooFewFiles = RoostError(
        .invalidParameter, remedy: .correctInput,
        message: "A message with several files needs at least two.")
    static let notForOpenChannels = unsupported("The client has no such call for open channels.")

    static func unsupported(_ message: String) -> RoostError {
        RoostError(
            RoostError.Code(ChatError.notSupported.rawValue), remedy: .none, message: message)
    }
}

extension BaseMessageCreateParams {
    /// The reason why these parameters cannot be sent; nil if they can.
    var refusal: RoostError? {
        unsupported.map { .unsupported("The property \($0) is not supported.") }
    }
}

extension BaseMessage {
    /// The parameters of a copy, which is in no thread; nil for kinds that no user writes.
    var copyParams: MessageParams? {
        switch value.params {
        case .user(var params)?:
            (params.parentID, params.isReplyToChannel) = (nil, false)
            if let template = mentionedMessageTemplate {
                params.extraFields.keep(mentionTemplate: template)
            }
            return .user(params)
        case .file(var params)?:
            (params.parentID, params.isReplyToChannel) = (nil, false)
            return .file(params)
        case nil: return nil
        }
    }

    /// The reason why the message cannot be copied; nil if it can.
    var copyRefusal: RoostError? { value.messageID == nil ? .notSent : nil }
}
