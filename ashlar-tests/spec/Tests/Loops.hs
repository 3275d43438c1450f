-- |
-- Module      : Tests.Loops
-- Description : The loops over many bytes, beside pages that cannot be accessed
--
-- "Ashlar.Internal.Prim.Bulk" and "Ashlar.Internal.Prim.Base64Groups" are C or, with the flag
-- @pure-haskell@, Haskell. Their functions read and write many bytes at once, so each length
-- matters, and each byte that they may not touch.
module Tests.Loops (tests) where

import Ashlar.Internal.Prim.Alphabet
import Ashlar.Internal.Prim.Base64Groups
import Ashlar.Internal.Prim.Bulk
import Data.Bits (shiftR, testBit)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Unsafe as S
import Data.Char (chr, isHexDigit)
import Data.Primitive.ByteArray (ByteArray (..), MutableByteArray (..))
import qualified Data.Primitive.ByteArray as A
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import Data.Word (Word16, Word8)
import Foreign.Marshal.Utils (copyBytes, fillBytes)
import Foreign.Ptr (Ptr, castPtr, nullPtr, plusPtr)
import GHC.ByteOrder (ByteOrder (..), targetByteOrder)
import GHC.Exts (RealWorld)
import Numeric (readHex, showHex)
import Test.QuickCheck
import Test.Tasty
import Test.Tasty.QuickCheck (testProperty)
import Tests.Pages

tests :: TestTree
tests =
  testGroup
    "loops over many bytes, beside a page"
    [ testProperty "find a byte" . forAll bytes $ \bs w -> beside $ \edge ->
        reading edge bs $ \p -> do
          at <- findByte w p (S.length bs)
          pure (at === maybe nullPtr (p `plusPtr`) (S.elemIndex w bs)),
      testProperty "compare" . forAll bytes $ \a -> forAll (damaged a) $ \b -> beside $ \edge ->
        reading edge a $ \p -> reading edge b $ \q -> do
          same <- sameBytes p q (S.length a)
          pure (same === (a == b)),
      testProperty "hexadecimal" . forAll bytes $ \bs -> beside $ \edge -> do
        let n = S.length bs
        (written, ()) <- reading edge bs $ \p -> writing edge (2 * n) $ \d -> hexEncode d p n
        pure (written === digitsOf bs),
      testProperty "digits, some damaged" . forAll bytes $ \bs ->
        forAll (damaged (digitsOf bs)) $ \digits -> beside $ \edge -> do
          let n = S.length bs
              right = C.takeWhile isHexDigit digits
              decoded = bytesOf right
          (readBack, good) <- reading edge digits $ \p -> writing edge n $ \d -> hexDecode d p n
          leading <- reading edge digits $ \p -> hexDigits p (2 * n)
          pure
            ( (good, leading) === (S.length right, S.length right)
                .&&. S.take (S.length decoded) readBack === decoded
            ),
      testProperty "Base64" . forAll groups $ \(forUrls, bs) -> beside $ \edge -> do
        let alphabet = alphabetFor forUrls
            n = S.length bs `quot` 3
        (written, ()) <- reading edge bs $ \p ->
          writing edge (4 * n) $ \d -> base64Encode alphabet d p n
        pure (written === base64Of alphabet bs),
      testProperty "Base64, some damaged" . forAll groups $ \(forUrls, bs) ->
        forAll (damaged (base64Of (alphabetFor forUrls) bs)) $ \characters -> beside $ \edge -> do
          let alphabet = alphabetFor forUrls
              n = S.length bs `quot` 3
              right = S.takeWhile ((< 64) . unitOf alphabet) characters
          (readBack, good) <- reading edge characters $ \p ->
            writing edge (3 * n) $ \d -> base64Decode alphabet d p n
          leading <- reading edge characters $ \p -> base64Characters alphabet p (4 * n)
          pure
            ( (good, leading) === (S.length right `quot` 4, S.length right)
                .&&. base64Of alphabet (S.take (3 * good) readBack) === S.take (4 * good) characters
            ),
      testProperty "from UTF-16" . forAll texts $ \t -> beside $ \edge -> do
        let units = unitsOf t
            n = S.length units `quot` 2
            utf8 = T.encodeUtf8 t
            size = S.length utf8
        checked <- reading edge units $ \p -> utf16Check p n
        (direct, written) <- writing edge (3 * n) $ \d ->
          inArray units $ \(ByteArray arr) i -> utf16ToUtf8 d arr (i `quot` 2) n
        (copied, moved) <- reading edge units $ \p ->
          outArray size $ \(MutableByteArray arr) -> utf16ToUtf8Array arr p n
        counted <- inArray units $ \(ByteArray arr) i -> pure $! utf16Bytes arr (i `quot` 2) n
        pure
          ( (checked, counted, written, moved) === (size, size, size, size)
              .&&. (S.take written direct, copied) === (utf8, utf8)
          ),
      testProperty "to UTF-16" . forAll texts $ \t -> beside $ \edge -> do
        let units = unitsOf t
            n = S.length units `quot` 2
            utf8 = T.encodeUtf8 t
            size = S.length utf8
        (direct, written) <- writing edge (2 * size) $ \d ->
          inArray utf8 $ \(ByteArray arr) i -> utf8ToUtf16 d arr i size
        (copied, moved) <- reading edge utf8 $ \p ->
          outArray (2 * size) $ \(MutableByteArray arr) -> utf8ToUtf16Array arr p size
        counted <- inArray utf8 $ \(ByteArray arr) i -> pure $! utf16Units arr i size
        pure
          ( (counted, written, moved) === (n, n, n)
              .&&. (S.take (2 * n) direct, S.take (2 * n) copied) === (units, units)
          ),
      testProperty "surrogates, in pairs or not" . forAll anyUnits $ \units -> beside $ \edge -> do
        let n = S.length units `quot` 2
        checked <- reading edge units $ \p -> utf16Check p n
        (direct, written) <- writing edge (3 * n) $ \d ->
          inArray units $ \(ByteArray arr) i -> utf16ToUtf8 d arr (i `quot` 2) n
        counted <- inArray units $ \(ByteArray arr) i -> pure $! utf16Bytes arr (i `quot` 2) n
        let (inPairs, utf8) = utf8OfUnits units
        pure
          ( (checked, counted) === (if inPairs then S.length utf8 else -1, S.length utf8)
              .&&. S.take written direct === utf8
          ),
      testProperty "a surrogate at each offset, in a pair or not" . once $
        conjoin
          [ beside $ \edge -> do
              let units = inOrder (replicate i 0x41 ++ halves ++ replicate more 0x41)
                  n = S.length units `quot` 2
                  (inPairs, utf8) = utf8OfUnits units
              checked <- reading edge units $ \p -> utf16Check p n
              (direct, written) <- writing edge (3 * n) $ \d ->
                inArray units $ \(ByteArray arr) j -> utf16ToUtf8 d arr (j `quot` 2) n
              pure
                ( (checked, S.take written direct)
                    === (if inPairs then S.length utf8 else -1, utf8)
                )
            | i <- [0 .. 130],
              halves <- [[0xD83D], [0xDE00], [0xD83D, 0xDE00]],
              more <- [0, 3]
          ],
      testProperty "UTF-8, damaged and cut" . forAll texts $ \t ->
        forAll (damaged (T.encodeUtf8 t)) $ \bs ->
          forAll (chooseInt (max 0 (S.length bs - 4), S.length bs)) $ \n -> beside $ \edge -> do
            let cut = S.take n bs
                wanted = either (const (-1)) ((`quot` 2) . S.length . unitsOf) (T.decodeUtf8' cut)
            (_, moved) <- reading edge cut $ \p ->
              outArray (2 * n) $ \(MutableByteArray arr) -> utf8ToUtf16Array arr p n
            -- In the array, the rest of a cut character follows.
            (_, written) <- writing edge (2 * n) $ \d ->
              inArray bs $ \(ByteArray arr) i -> utf8ToUtf16 d arr i n
            pure ((moved, written) === (wanted, wanted)),
      testProperty "UTF-8, each pair of bytes at an edge of what is well-formed" . once $
        conjoin (zipWith pairWithin [0 ..] [(a, b, rest) | rest <- rests, a <- edges, b <- edges])
    ]

-- | A pair and what follows it, at some offset of a text that is long enough for the widest loop.
pairWithin :: Int -> (Word8, Word8, [Word8]) -> Property
pairWithin i (a, b, rest) = beside $ \edge -> do
  let around = T.encodeUtf8 (T.pack (replicate 40 '\228'))
      before = S.take (2 + 2 * (i `mod` 19)) around <> S.replicate (i `mod` 2) 0x20
      bs = before <> S.pack (a : b : rest) <> around
      n = S.length bs
      wanted = either (const (-1)) ((`quot` 2) . S.length . unitsOf) (T.decodeUtf8' bs)
  (_, moved) <- reading edge bs $ \p ->
    outArray (2 * n) $ \(MutableByteArray arr) -> utf8ToUtf16Array arr p n
  pure (counterexample (show (S.unpack bs)) (moved === wanted))

-- | Bytes at which a range of RFC 3629 begins or ends.
edges :: [Word8]
edges =
  [0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1]
    ++ [0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF]

-- | What makes a whole character of a pair, for each of its lengths.
rests :: [[Word8]]
rests = [[], [0x80], [0xBF, 0x80]]

-- | At both edges.
beside :: (Edge -> IO Property) -> Property
beside test = conjoin [counterexample (show edge) (ioProperty (test edge)) | edge <- [minBound ..]]

-- | The address of a copy of these bytes, beside a page.
reading :: Edge -> S.ByteString -> (Ptr Word8 -> IO a) -> IO a
reading edge bs act = withPages edge (S.length bs) $ \p -> do
  S.unsafeUseAsCStringLen bs $ \(from, n) -> copyBytes p (castPtr from) n
  act p

-- | What was written to n bytes beside a page.
writing :: Edge -> Int -> (Ptr Word8 -> IO a) -> IO (S.ByteString, a)
writing edge n act = withPages edge n $ \p -> do
  fillBytes p 0xA5 n
  r <- act p
  bs <- S.packCStringLen (castPtr p, n)
  pure (bs, r)

-- | An array that has these bytes from an index on, and others before and after them.
inArray :: S.ByteString -> (ByteArray -> Int -> IO a) -> IO a
inArray bs act = act (A.byteArrayFromList (around ++ S.unpack bs ++ around)) (length around)
  where
    around = replicate 6 0x80 :: [Word8]

-- | What was written to an array of n bytes.
outArray :: Int -> (MutableByteArray RealWorld -> IO a) -> IO (S.ByteString, a)
outArray n act = do
  arr <- A.newByteArray n
  r <- act arr
  bs <- mapM (A.readByteArray arr) [0 .. n - 1]
  pure (S.pack bs, r)

-- Naive versions.

hexOf :: Word8 -> String
hexOf w = [c | shift <- [4, 0], c <- showHex (w `shiftR` shift `mod` 16) ""]

digitsOf :: S.ByteString -> S.ByteString
digitsOf = C.pack . concatMap hexOf . S.unpack

bytesOf :: S.ByteString -> S.ByteString
bytesOf = S.pack . go . C.unpack
  where
    go (a : b : rest) = fst (head' (readHex [a, b])) : go rest
    go _ = []
    head' = foldr const (0, "")

alphabetFor :: Bool -> Alphabet
alphabetFor forUrls = if forUrls then ForUrls else Standard

-- | Six bits at a time.
base64Of :: Alphabet -> S.ByteString -> S.ByteString
base64Of alphabet = S.pack . map characterFor . go . concatMap bits . S.unpack
  where
    bits w = [testBit w i | i <- [7, 6 .. 0]]
    go [] = []
    go bs = let (six, rest) = splitAt 6 bs in foldl (\u b -> 2 * u + fromEnum b) 0 six : go rest
    characterFor = S.index characters
    characters =
      C.pack $
        ['A' .. 'Z'] ++ ['a' .. 'z'] ++ ['0' .. '9'] ++ case alphabet of
          Standard -> "+/"
          ForUrls -> "-_"

-- | In UTF-16, in the byte order of the machine.
unitsOf :: T.Text -> S.ByteString
unitsOf = case targetByteOrder of
  LittleEndian -> T.encodeUtf16LE
  BigEndian -> T.encodeUtf16BE

-- | Are all surrogates in pairs? And the units in UTF-8, with three bytes for each surrogate that
-- is in none.
utf8OfUnits :: S.ByteString -> (Bool, S.ByteString)
utf8OfUnits units = S.concat <$> go (S.unpack units)
  where
    go (a : b : rest)
      | unit < 0xD800 || unit > 0xDFFF = (T.encodeUtf8 (T.singleton (chr unit)) :) <$> go rest
      | unit < 0xDC00,
        c : d : rest' <- rest,
        let low = unitOfBytes c d,
        low >= 0xDC00 && low <= 0xDFFF =
        let character = chr (0x10000 + (unit - 0xD800) * 0x400 + low - 0xDC00)
         in (T.encodeUtf8 (T.singleton character) :) <$> go rest'
      | otherwise = (False, alone : snd (go rest))
      where
        unit = unitOfBytes a b
        alone = S.pack [0xE0 + bits 12, 0x80 + bits 6 `mod` 64, 0x80 + bits 0 `mod` 64]
        bits n = fromIntegral (unit `shiftR` n)
    go _ = (True, [])
    unitOfBytes a b = case targetByteOrder of
      LittleEndian -> fromIntegral a + 256 * fromIntegral b
      BigEndian -> 256 * fromIntegral a + fromIntegral b :: Int

-- What they get.

-- | Of each length up to some registers.
bytes :: Gen S.ByteString
bytes = chooseInt (0, 150) >>= \n -> S.pack <$> vector n

groups :: Gen (Bool, S.ByteString)
groups = do
  forUrls <- arbitrary
  n <- chooseInt (0, 60)
  bs <- vector (3 * n)
  pure (forUrls, S.pack bs)

-- | Characters of one kind, with some of others.
texts :: Gen T.Text
texts = do
  usual <- elements kinds
  n <- chooseInt (0, 150)
  T.pack <$> vectorOf n (frequency [(20, usual), (1, oneof kinds)])
  where
    kinds =
      map
        choose
        [ ('\0', '\x7F'),
          ('\x80', '\x7FF'),
          ('\x800', '\xD7FF'),
          ('\xE000', '\xFFFF'),
          ('\x10000', '\x10FFFF')
        ]

-- | Units of which some are surrogates.
anyUnits :: Gen S.ByteString
anyUnits = do
  t <- texts
  let units = unitsOf t
  others <- listOf (elements [0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0x41 :: Word16])
  i <- (2 *) <$> chooseInt (0, S.length units `quot` 2)
  pure (S.concat [S.take i units, inOrder others, S.drop i units])

-- | Units in the byte order of the machine.
inOrder :: [Word16] -> S.ByteString
inOrder = S.concat . map bytesOfUnit
  where
    bytesOfUnit u = case targetByteOrder of
      LittleEndian -> S.pack [fromIntegral u, fromIntegral (u `shiftR` 8)]
      BigEndian -> S.pack [fromIntegral (u `shiftR` 8), fromIntegral u]

-- | With a few bytes that are others.
damaged :: S.ByteString -> Gen S.ByteString
damaged bs = do
  edits <- chooseInt (0, 2)
  foldr (=<<) (pure bs) (replicate edits edit)
  where
    edit b
      | S.null b = pure b
      | otherwise = do
        i <- chooseInt (0, S.length b - 1)
        w <- arbitrary
        pure (S.concat [S.take i b, S.singleton w, S.drop (i + 1) b])
