{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Tests.Scan
-- Description : Scanning, and numbers in ASCII, against naive models on every split
module Tests.Scan
  ( tests,
    agrees,
    agreesAt,
    failsAt,
    inChunksOf,
  )
where

import Ashlar.Get
import qualified Ashlar.Get.Parse as P
import Control.Applicative
import Control.Exception (evaluate)
import Control.Monad (guard)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Internal as B
import qualified Data.ByteString.Lazy as L
import Data.Char (isDigit, toUpper)
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Ratio ((%))
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Ptr (minusPtr, plusPtr)
import GHC.Float (castDoubleToWord64, castWord64ToDouble)
import Numeric (showHex)
import Numeric.Natural (Natural)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (label)
import Tests.Splits

tests :: TestTree
tests =
  testGroup
    "Get.Parse"
    [ testProperty "takeWhile, takeTill, takeWhile1, scan" taking,
      testProperty "skipWhile, skipWhile1, skipSpace" skipping,
      testProperty "word8, satisfy, peekWord8" single,
      testProperty "bytes, optionBytes" literal,
      testProperty "literals in the program" literalsInProgram,
      testProperty "switch, optionIf, manyWhile, skipManyWhile" switching,
      testCase "every refused byte has a name for what was expected" named,
      testCase "endOfLine" lineEnds,
      testCase "results are slices" slices,
      testCase "tokens end where isolate does" isolated,
      testCase "a token in many chunks" manyChunks,
      testCase "bytes asks for no more than it needs" asksForLittle,
      testProperty "decimal: every type, at its bounds" decimals,
      testProperty "decimal: any digits" anyDigits,
      testProperty "hexadecimal" hexadecimals,
      testProperty "double: what show writes" doubleShown,
      testProperty "double: any text" doubleText,
      testCase "double: hard cases" doubleHard,
      testCase "numbers of a million digits, huge exponents" hostile
    ]

-- | On every split, the decoder returns this result and leaves these bytes, or it fails.
agrees :: (Eq a, Show a) => Get a -> S.ByteString -> Maybe (a, S.ByteString) -> Property
agrees g bs expected =
  onEverySplit g' bs (runGet g' bs)
    .&&. either (const Nothing) Just (runGet g' bs) === expected
  where
    g' = (,) <$> g <*> getRemainingByteString

-- | As 'agrees', but with the offset of the error.
agreesAt :: (Eq a, Show a) => Get a -> S.ByteString -> Either Int64 (a, S.ByteString) -> Property
agreesAt g bs expected =
  onEverySplit g' bs (runGet g' bs)
    .&&. either (Left . errorOffset) Right (runGet g' bs) === expected
  where
    g' = (,) <$> g <*> getRemainingByteString

-- | The decoder failed at this offset.
failsAt :: Int64 -> Either DecodeError a -> Assertion
failsAt at = either (\e -> errorOffset e @?= at) (const (assertFailure "decoded"))

-- | The input in chunks of n bytes.
inChunksOf :: Int -> S.ByteString -> L.ByteString
inChunksOf n bs = L.fromChunks (takeWhile (not . S.null) (map (S.take n) (iterate (S.drop n) bs)))

-- Few different bytes, so that many of them match.
text :: Gen S.ByteString
text = C.pack <$> (choose (0, 9) >>= \n -> vectorOf n (elements "aab \n\r\0"))

isA :: Word8 -> Bool
isA = (== 97)

forText :: Testable p => (S.ByteString -> p) -> Property
forText = forAllShrink text (map S.pack . shrink . S.unpack)

taking :: Property
taking = forText $ \bs ->
  let run = S.takeWhile isA bs
      rest = S.drop (S.length run) bs
      tilled = S.break (== 0) bs
      -- At most three letters.
      limited n w = if w == 97 && n < 3 then Just (n + 1 :: Int) else Nothing
      short = S.take 3 run
   in conjoin
        [ agrees (P.takeWhile isA) bs (Just (run, rest)),
          agreesAt (P.takeWhile1 isA) bs (if S.null run then Left 0 else Right (run, rest)),
          agrees (P.takeTill (== 0)) bs (Just tilled),
          agrees (P.takeTillByte 0) bs (Just tilled),
          agrees (P.scan 0 limited) bs (Just (short, S.drop (S.length short) bs)),
          agrees
            (P.runScanner 0 limited)
            bs
            (Just ((short, S.length short), S.drop (S.length short) bs)),
          -- Backtracking over the match.
          agrees ((P.takeWhile isA *> P.word8 98) <|> pure 0) bs $
            Just (case S.uncons rest of Just (98, more) -> (98, more); _ -> (0, bs))
        ]

skipping :: Property
skipping = forText $ \bs ->
  conjoin
    [ agrees (P.skipWhile isA) bs (Just ((), S.dropWhile isA bs)),
      agreesAt
        (P.skipWhile1 isA)
        bs
        ( if S.null (S.takeWhile isA bs)
            then Left 0
            else Right ((), S.dropWhile isA bs)
        ),
      agrees P.skipSpace bs (Just ((), S.dropWhile (`elem` [9, 10, 11, 12, 13, 32]) bs))
    ]

single :: Property
single = forText $ \bs ->
  let one f = case S.uncons bs of
        Just (w, rest) | f w -> Right (w, rest)
        _ -> Left 0
   in conjoin
        [ agreesAt (P.word8 97) bs (one isA),
          agreesAt (P.notWord8 97) bs (one (/= 97)),
          agreesAt P.anyWord8 bs (one (const True)),
          agreesAt (P.satisfy (> 32)) bs (one (> 32)),
          agreesAt (P.satisfyWith (+ 1) (> 33)) bs ((\(w, rest) -> (w + 1, rest)) <$> one (> 32)),
          agrees P.peekWord8 bs (Just (fst <$> S.uncons bs, bs)),
          agreesAt P.peekWord8' bs ((\(w, _) -> (w, bs)) <$> one (const True)),
          -- After another byte, and in alternatives that fail.
          agreesAt (getWord8 *> P.word8 97) bs $ case S.unpack bs of
            _ : 97 : rest -> Right (97, S.pack rest)
            [] -> Left 0
            _ -> Left 1,
          agrees
            (many (P.word8 97 <|> P.word8 98))
            bs
            (Just (S.unpack (S.takeWhile (`elem` [97, 98]) bs), S.dropWhile (`elem` [97, 98]) bs))
        ]

literal :: Property
literal = forText $ \bs ->
  forAll (C.pack <$> (choose (0, 4) >>= \n -> vectorOf n (elements "aab "))) $ \s ->
    conjoin
      [ agreesAt (P.bytes s) bs (maybe (Left 0) (\rest -> Right (s, rest)) (S.stripPrefix s bs)),
        agrees (P.bytes (S.take 3 bs)) bs (Just (S.take 3 bs, S.drop 3 bs)),
        agrees (P.optionBytes s) bs (Just (maybe (False, bs) ((,) True) (S.stripPrefix s bs))),
        agrees (P.optionBytes (S.take 3 bs)) bs (Just (True, S.drop 3 bs)),
        agrees (many (P.optionBytes s >>= guard)) bs $
          let stripped b = case S.stripPrefix s b of
                Just more | not (S.null s) -> let (n, rest) = stripped more in (() : n, rest)
                _ -> ([], b)
           in Just (stripped bs)
      ]

-- Of every length that is compared in its own way, and at its bounds. Each is found, cut short, and
-- different in each byte, as the same string is that the compiler does not know.
literalsInProgram :: Property
literalsInProgram =
  once . conjoin $
    [ conjoin
        [ run literally bs === run (P.bytes s) bs .&&. run option bs === run (P.optionBytes s) bs
          | bs <- [s, s <> "a", S.drop 1 s] ++ S.inits s ++ map (changed s) [0 .. S.length s - 1]
        ]
      | (literally, option, s) <- samples,
        Run run <- [Run runGetRest, Run (lazily 1), Run (lazily 7)]
    ]
  where
    lazily n g = runGetLazy ((,) <$> g <*> getRemainingByteString) . inChunksOf n
    changed s i = case S.splitAt i s of
      (before, rest) -> S.concat [before, S.map (+ 1) (S.take 1 rest), S.drop 1 rest]
    -- Each is there three times, or the compiler would share it.
    samples =
      [ (P.bytes "", P.optionBytes "", ""),
        (P.bytes "a", P.optionBytes "a", "a"),
        (P.bytes "ab", P.optionBytes "ab", "ab"),
        (P.bytes "abc", P.optionBytes "abc", "abc"),
        (P.bytes "abcd", P.optionBytes "abcd", "abcd"),
        (P.bytes "abcde", P.optionBytes "abcde", "abcde"),
        (P.bytes "abcdefg", P.optionBytes "abcdefg", "abcdefg"),
        (P.bytes "abcdefgh", P.optionBytes "abcdefgh", "abcdefgh"),
        (P.bytes "abcdefghi", P.optionBytes "abcdefghi", "abcdefghi"),
        (P.bytes "abcdefghijklmno", P.optionBytes "abcdefghijklmno", "abcdefghijklmno"),
        (P.bytes "abcdefghijklmnop", P.optionBytes "abcdefghijklmnop", "abcdefghijklmnop"),
        (P.bytes "abcdefghijklmnopq", P.optionBytes "abcdefghijklmnopq", "abcdefghijklmnopq"),
        ( P.bytes "abcdefghijklmnopqrstuvw",
          P.optionBytes "abcdefghijklmnopqrstuvw",
          "abcdefghijklmnopqrstuvw"
        ),
        ( P.bytes "abcdefghijklmnopqrstuvwx",
          P.optionBytes "abcdefghijklmnopqrstuvwx",
          "abcdefghijklmnopqrstuvwx"
        ),
        ( P.bytes "abcdefghijklmnopqrstuvwxy",
          P.optionBytes "abcdefghijklmnopqrstuvwxy",
          "abcdefghijklmnopqrstuvwxy"
        ),
        ( P.bytes "abcdefghijklmnopqrstuvwxyzABCDE",
          P.optionBytes "abcdefghijklmnopqrstuvwxyzABCDE",
          "abcdefghijklmnopqrstuvwxyzABCDE"
        ),
        ( P.bytes "abcdefghijklmnopqrstuvwxyzABCDEF",
          P.optionBytes "abcdefghijklmnopqrstuvwxyzABCDEF",
          "abcdefghijklmnopqrstuvwxyzABCDEF"
        ),
        ( P.bytes "abcdefghijklmnopqrstuvwxyzABCDEFG",
          P.optionBytes "abcdefghijklmnopqrstuvwxyzABCDEFG",
          "abcdefghijklmnopqrstuvwxyzABCDEFG"
        ),
        (P.bytes "caf\233", P.optionBytes "caf\233", "caf\233"),
        (P.bytes "a\0b", P.optionBytes "a\0b", "a\0b")
      ]

-- A way to run a decoder of any type, which returns the bytes left over, too.
newtype Run = Run (forall a. Get a -> S.ByteString -> Either DecodeError (a, S.ByteString))

switching :: Property
switching = forText $ \bs ->
  let run = S.takeWhile isA bs
      pairs ws = case ws of
        97 : b : rest -> let (ps, left) = pairs rest in ((97, b) : ps, left)
        _ -> ([], ws)
      (elems, left') = pairs (S.unpack bs)
   in conjoin
        [ agrees
            ( P.switch
                (pure "end")
                (\w -> if w == 97 then P.takeWhile isA else pure "other")
            )
            bs
            $ Just
              ( if S.null bs
                  then ("end", "")
                  else
                    if S.null run
                      then ("other", bs)
                      else (run, S.drop (S.length run) bs)
              ),
          agrees
            (P.optionIf isA getWord8)
            bs
            (Just (case S.uncons bs of Just (97, rest) -> (Just 97, rest); _ -> (Nothing, bs))),
          agrees (P.manyWhile isA ((,) <$> getWord8 <*> getWord8)) bs $
            if left' == [97] then Nothing else Just (elems, S.pack left'),
          agrees (P.skipManyWhile isA ((,) <$> getWord8 <*> getWord8)) bs $
            if left' == [97] then Nothing else Just ((), S.pack left'),
          counterexample "reads nothing" $
            agrees
              (P.skipManyWhile isA (pure ()))
              bs
              (if S.null run then Just ((), bs) else Nothing),
          counterexample "reads nothing" $
            agrees (P.manyWhile isA (pure ())) bs (if S.null run then Just ([], bs) else Nothing)
        ]

named :: Assertion
named = do
  says (P.satisfy isA) ["a byte that satisfy accepts"]
  says (P.satisfyWith id isA) ["a byte that satisfyWith accepts"]
  says (P.takeWhile1 isA) ["a byte that takeWhile1 accepts"]
  says (P.skipWhile1 isA) ["a byte that skipWhile1 accepts"]
  -- A name that the user gives has precedence.
  says (P.satisfy isA <?> "letter") ["letter"]
  says (P.skipWhile1 isA <?> "letters") ["letters"]
  says (P.takeWhile1 isA <?> "letters") ["letters"]
  says ((P.satisfy isA <?> "letter") <|> (P.satisfy (== 48) <?> "digit")) ["letter", "digit"]
  where
    says :: Get a -> [String] -> Assertion
    says g names =
      mapM_
        ( \input ->
            either
              (\e -> (errorOffset e, errorReason e, errorExpected e))
              (const (0, TrailingInput, []))
              (runGetLazy (getWord8 *> g) input)
              @?= (1, Unexpected, names)
        )
        [inChunksOf 1 "abc", inChunksOf 3 "abc"]

lineEnds :: Assertion
lineEnds = do
  runGetRest P.endOfLine "\na" @?= Right ((), "a")
  runGetRest P.endOfLine "\r\na" @?= Right ((), "a")
  failsAt 1 (runGet P.endOfLine "\ra")
  failsAt 1 (runGet P.endOfLine "\r")
  failsAt 0 (runGet P.endOfLine "a")

slices :: Assertion
slices = do
  let bs = S.pack [0 .. 200]
      address (fp, offset, _) = unsafeForeignPtrToPtr fp `plusPtr` offset
      from g = either (assertFailure . show) (pure . address . B.toForeignPtr) (runGet g bs)
  start <- from (getByteString 201)
  let inside g = from (skip 10 *> g) >>= \p -> p `minusPtr` start @?= 10
  inside (P.takeWhile (< 100))
  inside (P.takeTill (> 100))
  inside (P.takeTillByte 100)
  inside (P.takeWhile (const True))
  inside (P.scan () (\_ w -> if w < 50 then Just () else Nothing))
  inside getRemainingByteString

isolated :: Assertion
isolated = do
  let ends = map (`inChunksOf` "aaaaaaaa") [1, 2, 3, 8]
      everywhere g r = mapM_ (\input -> runGetLazy g input @?= Right r) ends
  everywhere ((,) <$> isolate 3 (P.takeWhile isA) <*> getRemainingByteString) ("aaa", "aaaaa")
  everywhere ((,) <$> isolate 3 (P.skipWhile isA) <*> getRemainingByteString) ((), "aaaaa")
  everywhere (isolate 0 P.peekWord8) Nothing
  everywhere (isolate 2 (P.takeTillByte 0)) "aa"
  everywhere (isolate 2 getRemainingLazyByteString) "aa"
  mapM_ (failsAt 0 . runGetLazy (isolate 2 (P.bytes "aaa"))) ends

-- 8 MB in chunks of 100 bytes. In quadratic time this would take hours.
manyChunks :: Assertion
manyChunks = do
  let n = 8000000
      input = inChunksOf 100 (S.replicate n 97 <> "b")
      inTime g r = timeout 120000000 (evaluate (runGetLazy g input == Right r)) >>= (@?= Just True)
  inTime (S.length <$> P.takeWhile isA <* P.word8 98) n
  inTime (S.length <$> P.takeTillByte 98) n
  inTime (snd <$> P.runScanner 0 (\k w -> if w == 97 then Just $! (k + 1) else Nothing)) n
  inTime (P.skipWhile isA *> getWord8) 98
  -- With the input retained for an alternative.
  inTime ((P.takeWhile isA *> P.word8 97) <|> (P.skipWhile isA *> getWord8)) 98
  inTime (fromIntegral . L.length <$> getRemainingLazyByteString) (n + 1)

-- The rest of the input must not be forced.
asksForLittle :: Assertion
asksForLittle = do
  let stop = error "asked for more"
  runGetLazy (P.bytes "abc" <|> pure "no") (L.fromChunks ("ax" : stop)) @?= Right "no"
  runGetLazy (P.bytes "abc") (L.fromChunks ("a" : "bc" : stop)) @?= Right "abc"
  runGetLazy (P.optionBytes "abc") (L.fromChunks ("ax" : stop)) @?= Right False
  runGetLazy (P.optionBytes "abc") (L.fromChunks ("a" : "bc" : stop)) @?= Right True
  runGetLazy (P.takeWhile isA) (L.fromChunks ("a" : "ab" : stop)) @?= Right "aa"
  runGetLazy (P.decimal :: Get Int) (L.fromChunks ("1" : "2;" : stop)) @?= Right 12
  runGetLazy (P.satisfy isA) (L.fromChunks ("a" : stop)) @?= Right 97
  runGetLazy P.double (L.fromChunks ("1." : "5;" : stop)) @?= Right 1.5

outcome :: Get a -> S.ByteString -> Either Int64 a
outcome g = either (Left . errorOffset) Right . runGet g

-- The outcome, which must be the same on chunks of several sizes.
inChunks :: Eq a => Get a -> S.ByteString -> Either Int64 a
inChunks g bs
  | all
      (== strict)
      [ either (Left . errorOffset) Right (runGetLazy g (inChunksOf n bs))
        | n <- [1, 3, 8]
      ] =
    strict
  | otherwise = error ("other results from chunks: " ++ show bs)
  where
    strict = outcome g bs

decimals :: Integer -> Property
decimals k =
  conjoin
    [ bounded (0 :: Int),
      bounded (0 :: Int8),
      bounded (0 :: Int16),
      bounded (0 :: Int32),
      bounded (0 :: Int64),
      bounded (0 :: Word),
      bounded (0 :: Word8),
      bounded (0 :: Word16),
      bounded (0 :: Word32),
      bounded (0 :: Word64)
    ]
  where
    bounded :: forall a. (Integral a, Bounded a, Show a) => a -> Property
    bounded _ =
      conjoin
        [ counterexample (show n) $
            inChunks (P.signedDecimal :: Get a) (shown <> ";")
              === (if inside then Right (fromInteger n) else Left 0)
              .&&. ( if n < 0
                       then property True
                       else
                         inChunks (P.decimal :: Get a) (zeros <> shown)
                           === (if inside then Right (fromInteger n) else Left 0)
                   )
          | n <-
              [ k,
                toInteger (maxBound :: a),
                toInteger (maxBound :: a) + 1 + abs k,
                toInteger (minBound :: a),
                toInteger (minBound :: a) - 1 - abs k,
                2 ^ (64 :: Int) + k
              ],
            let inside = n >= toInteger (minBound :: a) && n <= toInteger (maxBound :: a)
                shown = C.pack (show n)
                zeros = if even k then "" else "0000000000000000000000"
        ]

anyDigits :: Property
anyDigits =
  forAll
    ( choose (0, 60) >>= \n ->
        vectorOf n (frequency [(1, pure '0'), (2, elements ['0' .. '9'])])
    )
    $ \ds ->
      forAll (elements ["", ";", "a"]) $ \end ->
        let bs = C.pack (ds ++ end)
            number = if null ds then Left 0 else Right (read ds :: Integer, C.pack end)
            same g = inChunks g bs === (fst <$> number)
         in conjoin
              [ same P.decimal,
                same (P.signed P.decimal),
                same P.signedDecimal,
                outcome (P.signed P.decimal) ("-" <> bs)
                  === either (const (Left 1)) (Right . negate . fst) number,
                outcome P.signedDecimal ("-" <> bs)
                  === either (const (Left 1)) (Right . negate . fst) number,
                outcome P.signedDecimal ("+" <> bs)
                  === either (const (Left 1)) (Right . fst) number,
                outcome (P.decimal :: Get Natural) bs === (fromInteger . fst <$> number),
                if length ds < 10 then agreesAt P.decimal bs number else property True
              ]

hexadecimals :: Property
hexadecimals =
  forAll (choose (0, 40) >>= \n -> vectorOf n (elements "0123456789abcdefABCDEF0")) $ \ds ->
    let bs = C.pack (ds ++ "g")
        n = read ("0x" ++ ds) :: Integer
     in conjoin
          [ outcome P.hexadecimal bs === (if null ds then Left 0 else Right n),
            outcome (P.hexadecimal :: Get Word64) bs
              === ( if null ds || n > toInteger (maxBound :: Word64)
                      then Left 0
                      else Right (fromInteger n)
                  ),
            outcome (P.hexadecimal :: Get Int64) bs
              === ( if null ds || n > toInteger (maxBound :: Int64)
                      then Left 0
                      else Right (fromInteger n)
                  ),
            forAll
              arbitrary
              ( \w ->
                  agreesAt
                    P.hexadecimal
                    (C.pack (map toUpper (showHex (w :: Word16) "")) <> "\n")
                    (Right (w, "\n"))
              )
          ]

sameDouble :: Double -> Double -> Property
sameDouble a b =
  counterexample (show a ++ " /= " ++ show b) (castDoubleToWord64 a == castDoubleToWord64 b)

readBack :: S.ByteString -> Double -> Property
readBack bs x =
  case ( runGet P.double bs,
         runGetLazy P.double (inChunksOf 1 bs),
         runGet (P.double <* P.word8 44) (bs <> ",")
       ) of
    (Right a, Right b, Right c) -> sameDouble a x .&&. sameDouble b x .&&. sameDouble c x
    other -> counterexample (show other) False

doubleShown :: Word64 -> Double -> Int -> Word16 -> Property
doubleShown w x n k =
  conjoin
    [ if isNaN y || isInfinite y then property True else readBack (C.pack (show y)) y,
      readBack (C.pack (show x)) x,
      readBack (C.pack (show n)) (fromIntegral n),
      -- Halfway between two doubles, and slightly above.
      if isNaN y || isInfinite y || abs y < 1.0e-200 || abs y > 1.0e200
        then property True
        else halfway (abs y),
      readBack
        (C.pack (show n ++ "e-" ++ show (k `mod` 30)))
        (fromRational (toInteger n % 10 ^ (k `mod` 30)))
    ]
  where
    y = castWord64ToDouble w
    halfway d =
      let next = castWord64ToDouble (castDoubleToWord64 d + 1)
          middle = (toRational d + toRational next) / 2
          digits = exactly middle
       in readBack (C.pack digits) (fromRational middle)
            .&&. readBack (C.pack (digits ++ replicate 900 '0' ++ "1")) next

-- All digits of a rational whose denominator is a power of two.
exactly :: Rational -> String
exactly = go (0 :: Int)
  where
    go k q
      | q == fromInteger (round q) = insertPoint k (show (round q :: Integer))
      | otherwise = go (k + 1) (q * 10)
    insertPoint k ds =
      let padded = replicate (k + 1 - length ds) '0' ++ ds
          (whole, fraction) = splitAt (length padded - k) padded
       in whole ++ "." ++ (if null fraction then "0" else fraction)

-- The model tries every prefix, the longest first.
doubleText :: Property
doubleText = forAll (choose (0, 8) >>= \n -> vectorOf n (elements "0127.eE+-")) $ \s ->
  let bs = C.pack s
      wanted = case [n | n <- [length s, length s - 1 .. 1], isNumber (take n s)] of
        n : _ -> Just (value (take n s), C.pack (drop n s))
        [] -> Nothing
   in agrees P.double bs wanted
  where
    value s = case s of
      '-' : more -> negate (value more)
      '+' : more -> value more
      _ -> read (normal s) :: Double
    -- 'read' does not accept a plus sign in an exponent.
    normal = filter (/= '+')
    isNumber s = case s of
      c : more | c `elem` ("+-" :: String) -> unsigned more
      _ -> unsigned s
    unsigned s = case span isDigit s of
      ([], _) -> False
      (_, '.' : more) -> case span isDigit more of
        ([], _) -> False
        (_, rest) -> exponentOnly rest
      (_, rest) -> exponentOnly rest
    exponentOnly s = case s of
      [] -> True
      e : c : more
        | e `elem` ("eE" :: String), c `elem` ("+-" :: String) -> digitsOnly more
        | e `elem` ("eE" :: String) -> digitsOnly (c : more)
      _ -> False
    digitsOnly s = not (null s) && all isDigit s

doubleHard :: Assertion
doubleHard = do
  is "0" 0
  is "-0" (-0.0)
  is "-0.0e5" (-0.0)
  is "+1" 1
  is "9007199254740993" 9007199254740992
  is "9007199254740993.00000000000000000000000000000000001" 9007199254740994
  is "2.2250738585072011e-308" 2.2250738585072011e-308
  is "2.2250738585072014e-308" 2.2250738585072014e-308
  is "4.9406564584124654e-324" 5.0e-324
  is "2.4703282292062327e-324" 0
  is "2.4703282292062328e-324" 5.0e-324
  is "1.7976931348623157e308" 1.7976931348623157e308
  is "1.7976931348623158079e308" 1.7976931348623157e308
  is "1.797693134862315808e308" (1 / 0)
  is "1e400" (1 / 0)
  is "-1e400" (-1 / 0)
  is ("0." <> S.replicate 400 48 <> "1e401") 1
  is ("1" <> S.replicate 400 48 <> "e-400") 1
  mapM_ (failsAt 0 . runGet P.double) ["", ".5", "e5", "NaN", "Infinity"]
  failsAt 1 (runGet P.double "-x")
  where
    is bs x = case runGet P.double bs of
      Right y -> castDoubleToWord64 y @?= castDoubleToWord64 x
      Left e -> assertFailure (show (bs, e))

hostile :: Assertion
hostile = do
  let long = S.replicate 1000000 55
      inTime r = timeout 120000000 (evaluate r) >>= maybe (assertFailure "too long") pure
      doubleOf bs = either (const (-1)) id <$> inTime (runGet P.double bs)
  doubleOf "1e1000000000" >>= (@?= 1 / 0)
  doubleOf "1e-1000000000" >>= (@?= 0)
  doubleOf "0e99999999999999999999999999" >>= (@?= 0)
  doubleOf "1e99999999999999999999999999" >>= (@?= 1 / 0)
  doubleOf "1e-99999999999999999999999999" >>= (@?= 0)
  doubleOf long >>= (@?= 1 / 0)
  doubleOf (long <> "e-999999") >>= (@?= 7.777777777777778)
  doubleOf ("0." <> S.map (const 48) long <> "1") >>= (@?= 0)
  inTime (either errorOffset (const (-1)) (runGet (P.decimal :: Get Int) long)) >>= (@?= 0)
  inTime (either errorOffset (const (-1)) (runGet (P.hexadecimal :: Get Int) long)) >>= (@?= 0)
  n <- inTime (runGet P.decimal long)
  n @?= Right ((10 ^ (1000000 :: Int) - 1) `div` 9 * 7 :: Integer)
