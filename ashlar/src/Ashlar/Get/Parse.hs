{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Get.Parse
-- Description : Decoders for text protocols and mixed formats
--
-- What a parser of text needs, in the names of attoparsec; they are decoders like all
-- others ("Ashlar.Get"), and mix with them. Some of the names are also in the
-- Prelude: import this module qualified, or with a list.
--
-- >>> import Ashlar.Get.Parse (bytes, decimal, endOfLine, skipSpace, takeTill)
-- >>> let version = bytes "HTTP/1." *> (decimal :: Get Word8)
-- >>> let code = skipSpace *> (decimal :: Get Int) <* skipSpace
-- >>> let status = (,,) <$> version <*> code <*> takeTill (== 13) <* endOfLine
-- >>> runGet status "HTTP/1.1 200 OK\r\n"
-- Right (1,200,"OK")
--
-- Strings of bytes are slices of the input, which keep their chunk alive ('Data.ByteString.copy'
-- them if that is not wanted).
--
-- What choices cost: 'switch', 'optionIf', 'manyWhile' and 'skipManyWhile' compare the next byte.
-- So does 'Control.Applicative.<|>' with optimisation, if its first part begins with 'satisfy',
-- 'satisfyWith', 'word8' or 'notWord8' and refuses the byte. In all other cases it opens a choice
-- point, which takes a few nanoseconds, and keeps the input from there on until it is closed.
module Ashlar.Get.Parse
  ( -- * Taking bytes
    takeWhile,
    takeWhile1,
    takeTill,
    takeTillByte,
    scan,
    runScanner,

    -- * Skipping bytes
    skipWhile,
    skipWhile1,
    skipSpace,

    -- * One byte
    word8,
    notWord8,
    anyWord8,
    satisfy,
    satisfyWith,
    peekWord8,
    peekWord8',

    -- * Literals
    bytes,
    optionBytes,
    endOfLine,

    -- * Choosing by the next byte
    switch,
    optionIf,
    manyWhile,
    skipManyWhile,

    -- * Numbers in ASCII
    decimal,
    signedDecimal,
    signed,
    hexadecimal,
    double,
    float,

    -- * Repetition, choice and separators
    module Ashlar.Get.Combinators,
  )
where

import Ashlar.Get.Combinators
import Ashlar.Internal.Get.Ascii
import Ashlar.Internal.Get.Floating
import Ashlar.Internal.Get.NextByte
import Ashlar.Internal.Get.Scan
import Prelude ()
