// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

/// The reasons for a report to the moderators.
public enum ReportCategory: Int, CaseIterable, Sendable {
    /// Suspicious, such as fraud.
    case suspicious
    /// Harassing.
    case harassing
    /// Inappropriate.
    case inappropriate
    /// Spam.
    case spam

    var value: RoostModel.ReportCategory {
        switch self {
        case .suspicious: .suspicious
        case .harassing: .harassing
        case .inappropriate: .inappropriate
        case .spam: .spam
        }
    }

    var name: String { value.rawValue }
}

/// A reason for a report to the moderators.
public final class ReportCategoryInfo: NSObject {
    /// The name of the reason.
    public let name: String
    let category: ReportCategory

    init(_ category: ReportCategory) {
        self.category = category
        name = category.name
    }
}

extension BaseChannel {
    // MARK: With a category

    /// Reports the channel to the moderators.
    public func report(
        category: ReportCategory, reportDescription: String?,
        completionHandler: SBErrorHandler? = nil
    ) { report(.channel(value.url), category, reportDescription, completionHandler) }

    /// Reports a user of the channel to the moderators.
    public func report(
        offendingUser: User, reportCategory: ReportCategory, reportDescription: String?,
        completionHandler: SBErrorHandler? = nil
    ) {
        report(
            .user(offendingUser.value.id, in: value.url), reportCategory, reportDescription,
            completionHandler)
    }

    /// Reports a message of the channel to the moderators.
    public func report(
        message: BaseMessage, reportCategory: ReportCategory, reportDescription: String?,
        completionHandler: SBErrorHandler? = nil
    ) {
        report(
            .message(MessageID(message.messageId), in: value.url), reportCategory,
            reportDescription, completionHandler)
    }

    // MARK: With a category of `getReportCategoryInfoList`

    /// Reports the channel to the moderators.
    public func report(
        reportCategoryInfo: ReportCategoryInfo, reportDescription: String?,
        completionHandler: SBErrorHandler? = nil
    ) {
        report(
            category: reportCategoryInfo.category, reportDescription: reportDescription,
            completionHandler: completionHandler)
    }

    /// Reports a user of the channel to the moderators.
    public func reportUser(
        _ offendingUser: User, reportCategoryInfo: ReportCategoryInfo,
        reportDescription: String?, completionHandler: SBErrorHandler? = nil
    ) {
        report(
            offendingUser: offendingUser, reportCategory: reportCategoryInfo.category,
            reportDescription: reportDescription, completionHandler: completionHandler)
    }

    /// Reports a message of the channel to the moderators.
    public func reportMessage(
        _ message: BaseMessage, reportCategoryInfo: ReportCategoryInfo,
        reportDescription: String?, completionHandler: SBErrorHandler? = nil
    ) {
        report(
            message: message, reportCategory: reportCategoryInfo.category,
            reportDescription: reportDescription, completionHandler: completionHandler)
    }

    private func report(
        _ subject: ReportSubject, _ category: ReportCategory, _ description: String?,
        _ handler: SBErrorHandler?
    ) {
        let text = description ?? ""
        let value = category.value
        actEither(handler) { client, channel throws(RoostError) in
            guard !channel.isOpen else { throw .notForOpenChannels }
            try await client.report(subject, category: value, description: text)
        }
    }
}
