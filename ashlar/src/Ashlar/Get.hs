{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Get
-- Description : Decoders: bytes to values
--
-- Decoders read from any source, chunk by chunk if necessary. They can go back
-- ('Control.Applicative.<|>', 'Control.Applicative.many', 'lookAhead'). Their errors say exactly
-- what was wrong and where.
--
-- >>> let point = (,) <$> getInt32be <*> label "y" getInt32be
-- >>> runGet point "\0\0\0\1\0\0\0\2"
-- Right (1,2)
-- >>> either (putStrLn . displayException) print (runGet point "\0\0\0\1\0\0")
-- at byte 4, in y: 4 bytes needed, 2 left
--   00000000  00 00 00 01 00 00                                 |......|
--                         ^^ ^^
--
-- Other modules:
--
-- * "Ashlar.Get.Parse": text protocols and mixed formats. It has the names of attoparsec, some of
--   which clash with the Prelude.
-- * "Ashlar.Get.Combinators": loops and choices for any decoder
-- * "Ashlar.Get.Varint": numbers of variable length
-- * "Ashlar.Compat.Binary.Get" and "Ashlar.Compat.Cereal": for programs written for @binary@ and
--   @cereal@
--
-- Join adjacent numbers with '<$>' and '<*>', or with @ApplicativeDo@: optimised code then makes
-- one check for all of them. In a @do@ block each number has a check of its own.
--
-- The getters have the names of "Data.Binary.Get", with these differences:
--
-- * Running a decoder returns 'Either' instead of throwing.
-- * 'runGet' takes a strict ByteString, 'runGetLazy' a lazy one. Functions that read from a
--   Handle, a file or an action take that first, and then the decoder.
-- * A negative number of bytes fails. @binary@ counts it as 0.
-- * 'bytesRead' counts from the start of the stream, even inside 'isolate'.
-- * 'Fail' contains a 'DecodeError'.
-- * There is no @remaining@, because its result would depend on how much input has arrived.
--   "Ashlar.Compat.Binary.Get" has it.
--
-- If all alternatives fail, the error is about the one that got farthest, and 'errorExpected' has
-- what each of them expected there ('<?>'). A decoder that knows which alternative is right can
-- 'commit' to it: then the others are not tried, and no input is kept for them.
module Ashlar.Get
  ( -- * Decoders
    Get,

    -- * Running decoders

    -- ** Input in memory
    runGet,
    runGetWhole,
    runGetRest,
    runGetLazy,
    runGetLazyWhole,
    runGetOrFail,

    -- ** Input from elsewhere
    hRunGet,
    hRunGetWhole,
    runGetFile,
    runGetFileWhole,
    runGetIO,
    runGetIOWhole,

    -- ** Many values

    -- | (And those of a lazy ByteString as a list: "Ashlar.Get.Stream".)
    hFoldGet,
    Source,
    newSource,
    handleSource,
    SourceBusy (..),
    getFrom,
    attemptFrom,
    nextOrEnd,
    foldFrom,
    Folded (..),
    foldFromUntil,
    hFoldGetUntil,

    -- ** Input that is pushed

    -- | (A stream of values, or one value in constant memory: "Ashlar.Get.Feed".)
    runGetIncremental,
    Decoder (..),
    pushChunk,
    pushChunks,
    pushEndOfInput,

    -- ** Errors
    DecodeError (..),
    summarizeError,
    Reason (..),
    Excerpt (..),

    -- ** Budgets
    Budget (..),
    defaultBudget,
    runGetWith,
    withBudget,
    deeper,

    -- * Bytes
    getByteString,
    getByteStringCopy,
    getShortByteString,
    getByteStringNul,
    getRemainingByteString,
    getLazyByteString,
    getLazyByteStringNul,
    getRemainingLazyByteString,
    skip,

    -- ** Text
    getTextUtf8,
    getRemainingTextUtf8,

    -- * The offset in the input
    bytesRead,
    isEmpty,
    endOfInput,
    origin,
    atOffset,
    viaOffset,
    Span,
    getSpan,
    ownBytes,
    spanBytes,
    inSpan,

    -- * Around other decoders
    label,
    (<?>),
    isolate,
    isolateAtMost,
    getNested,
    match,

    -- ** Going back, or not
    lookAhead,
    lookAheadM,
    lookAheadE,
    notFollowedBy,
    commit,
    attempt,

    -- * Many values
    getVectorLE,
    getVectorBE,
    getVectorHost,
    getVectorOf,
    NumberVector,
    NumberElement,

    -- * A byte that a function accepts
    satisfy,

    -- * Numbers in binary
    module Ashlar.Internal.Get.Numbers,
  )
where

import Ashlar.Internal.Get.Budget
import Ashlar.Internal.Get.Bytes
import Ashlar.Internal.Get.Choice
import Ashlar.Internal.Get.Chunks
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Fail
import Ashlar.Internal.Get.Numbers
import Ashlar.Internal.Get.Offset
import Ashlar.Internal.Get.Run
import Ashlar.Internal.Get.Source
import Ashlar.Internal.Get.Strings
import Ashlar.Internal.Get.Vectors
