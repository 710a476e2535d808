// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The functions of libpq, found when the first database is opened.
///
/// They are looked up at run time, so that a server without a database needs no libpq, neither to be
/// built nor to run.
@safe struct LibPQ: Sendable {
    typealias Texts = UnsafePointer<UnsafePointer<CChar>?>
    typealias NoticeReceiver =
        @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?) -> Void

    let connect: @convention(c) (Texts?, Texts?, CInt) -> OpaquePointer?
    let finish: @convention(c) (OpaquePointer?) -> Void
    let status: @convention(c) (OpaquePointer?) -> CInt
    let errorMessage: @convention(c) (OpaquePointer?) -> UnsafePointer<CChar>?
    let socket: @convention(c) (OpaquePointer?) -> CInt
    let serverVersion: @convention(c) (OpaquePointer?) -> CInt
    let setNonBlocking: @convention(c) (OpaquePointer?, CInt) -> CInt
    let enterPipeline: @convention(c) (OpaquePointer?) -> CInt
    let setNoticeReceiver:
        @convention(c) (OpaquePointer?, NoticeReceiver?, UnsafeMutableRawPointer?) ->
            NoticeReceiver?

    let sendPrepare:
        @convention(c) (
            OpaquePointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, CInt,
            UnsafePointer<UInt32>?
        ) -> CInt
    let sendPrepared:
        @convention(c) (
            OpaquePointer?, UnsafePointer<CChar>?, CInt, Texts?, UnsafePointer<CInt>?,
            UnsafePointer<CInt>?, CInt
        ) -> CInt
    let sendQuery:
        @convention(c) (
            OpaquePointer?, UnsafePointer<CChar>?, CInt, UnsafePointer<UInt32>?, Texts?,
            UnsafePointer<CInt>?, UnsafePointer<CInt>?, CInt
        ) -> CInt
    let sync: @convention(c) (OpaquePointer?) -> CInt
    let flush: @convention(c) (OpaquePointer?) -> CInt
    let consumeInput: @convention(c) (OpaquePointer?) -> CInt
    let isBusy: @convention(c) (OpaquePointer?) -> CInt
    let getResult: @convention(c) (OpaquePointer?) -> OpaquePointer?

    let resultStatus: @convention(c) (OpaquePointer?) -> CInt
    let resultField: @convention(c) (OpaquePointer?, CInt) -> UnsafePointer<CChar>?
    let clear: @convention(c) (OpaquePointer?) -> Void
    let rowCount: @convention(c) (OpaquePointer?) -> CInt
    let isNull: @convention(c) (OpaquePointer?, CInt, CInt) -> CInt
    let value: @convention(c) (OpaquePointer?, CInt, CInt) -> UnsafeMutablePointer<CChar>?
    let length: @convention(c) (OpaquePointer?, CInt, CInt) -> CInt

    /// The library of this machine; looked for once.
    static let shared: Result<LibPQ, PostgresError> = load(from: [
        "libpq.so.5", "libpq.so", "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib",
        "/usr/local/opt/libpq/lib/libpq.5.dylib",
    ])

    /// Loads the first library of a list that is there.
    static func load(from names: [String]) -> Result<LibPQ, PostgresError> {
        for name in names {
            // SAFETY: the library is never unloaded, so its functions live as long as the process.
            guard let library = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else { continue }
            if let loaded = try? unsafe LibPQ(library) { return .success(loaded) }
        }
        return .failure(.noLibrary)
    }

    /// Finds the functions.
    ///
    /// - Throws: `.library` if one of them is missing, as in versions before 14.
    private init(_ library: UnsafeMutableRawPointer) throws(PostgresError) {
        unsafe connect = try unsafe Self.find("PQconnectdbParams", in: library)
        unsafe finish = try unsafe Self.find("PQfinish", in: library)
        unsafe status = try unsafe Self.find("PQstatus", in: library)
        unsafe errorMessage = try unsafe Self.find("PQerrorMessage", in: library)
        unsafe socket = try unsafe Self.find("PQsocket", in: library)
        unsafe serverVersion = try unsafe Self.find("PQserverVersion", in: library)
        unsafe setNonBlocking = try unsafe Self.find("PQsetnonblocking", in: library)
        unsafe enterPipeline = try unsafe Self.find("PQenterPipelineMode", in: library)
        unsafe setNoticeReceiver = try unsafe Self.find("PQsetNoticeReceiver", in: library)
        unsafe sendPrepare = try unsafe Self.find("PQsendPrepare", in: library)
        unsafe sendPrepared = try unsafe Self.find("PQsendQueryPrepared", in: library)
        unsafe sendQuery = try unsafe Self.find("PQsendQueryParams", in: library)
        unsafe sync = try unsafe Self.find("PQpipelineSync", in: library)
        unsafe flush = try unsafe Self.find("PQflush", in: library)
        unsafe consumeInput = try unsafe Self.find("PQconsumeInput", in: library)
        unsafe isBusy = try unsafe Self.find("PQisBusy", in: library)
        unsafe getResult = try unsafe Self.find("PQgetResult", in: library)
        unsafe resultStatus = try unsafe Self.find("PQresultStatus", in: library)
        unsafe resultField = try unsafe Self.find("PQresultErrorField", in: library)
        unsafe clear = try unsafe Self.find("PQclear", in: library)
        unsafe rowCount = try unsafe Self.find("PQntuples", in: library)
        unsafe isNull = try unsafe Self.find("PQgetisnull", in: library)
        unsafe value = try unsafe Self.find("PQgetvalue", in: library)
        unsafe length = try unsafe Self.find("PQgetlength", in: library)
    }

    private static func find<Function>(
        _ name: String, in library: UnsafeMutableRawPointer
    ) throws(PostgresError) -> Function {
        guard let symbol = unsafe dlsym(library, name) else { throw .noLibrary }
        // SAFETY: each property has the type that libpq's documentation gives its function.
        return unsafe unsafeBitCast(symbol, to: Function.self)
    }
}
