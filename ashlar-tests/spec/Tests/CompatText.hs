{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.CompatText
-- Description : text's functions that make builders
module Tests.CompatText (tests) where

import Ashlar.Builder (Builder, toLazyByteString, word8)
import Ashlar.Builder.Extra (safeStrategy, toLazyByteStringWith, untrimmedStrategy)
import qualified Ashlar.Builder.Prim as P
import qualified Ashlar.Compat.Text.Encoding as Ours
import qualified Ashlar.Compat.Text.Lazy.Encoding as OursLazy
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Builder.Prim as BP
import qualified Data.ByteString.Lazy as L
import qualified Data.Text as T
import qualified Data.Text.Encoding as Theirs
import qualified Data.Text.Lazy as TL
import qualified Data.Text.Lazy.Encoding as TheirsLazy
import Data.Word (Word8)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Arbitrary ()

tests :: TestTree
tests =
  testGroup
    "text's builders"
    [ testProperty "encodeUtf8Builder" . forAll text $ \t ->
        toLazyByteString (Ours.encodeUtf8Builder t)
          === B.toLazyByteString (Theirs.encodeUtf8Builder t),
      testProperty "encodeUtf8Builder, lazy" . forAll lazyText $ \t ->
        toLazyByteString (OursLazy.encodeUtf8Builder t)
          === B.toLazyByteString (TheirsLazy.encodeUtf8Builder t),
      testProperty "encodeUtf8BuilderEscaped" . forAll ((,) <$> text <*> sizes) $ \(t, n) ->
        conjoin
          [ counterexample title $
              run n (Ours.encodeUtf8BuilderEscaped ours t)
                === B.toLazyByteString (Theirs.encodeUtf8BuilderEscaped theirs t)
            | (title, ours, theirs) <- escapings
          ],
      testProperty "encodeUtf8BuilderEscaped, lazy" . forAll ((,) <$> lazyText <*> sizes) $
        \(t, n) ->
          conjoin
            [ counterexample title $
                run n (OursLazy.encodeUtf8BuilderEscaped ours t)
                  === B.toLazyByteString (TheirsLazy.encodeUtf8BuilderEscaped theirs t)
              | (title, ours, theirs) <- escapings
            ],
      testProperty "as by a primitive on the bytes" . forAll text $ \t ->
        toLazyByteString (P.primMapByteStringBounded html (Ours.encodeUtf8 t))
          === toLazyByteString (Ours.encodeUtf8BuilderEscaped html t),
      testProperty "encodeUtf8BuilderEscaped among other builders" . forAll text $ \t ->
        toLazyByteString (word8 1 <> Ours.encodeUtf8BuilderEscaped html t <> word8 2)
          === L.cons 1 (toLazyByteString (Ours.encodeUtf8BuilderEscaped html t) <> L.singleton 2)
    ]

text :: Gen T.Text
text =
  oneof
    [ T.pack <$> listOf arbitrary,
      T.pack <$> listOf (elements "a<&>\"b\n\x7F\x80\xE9\x7FF\x800\xFFFF\x10000\x10FFFF"),
      T.pack <$> resize 3000 (listOf (frequency [(30, choose ('\0', '\x7F')), (1, arbitrary)])),
      -- A slice.
      T.drop 3 . T.dropEnd 2 . T.pack <$> listOf arbitrary
    ]

lazyText :: Gen TL.Text
lazyText = TL.fromChunks <$> resize 5 (listOf text)

-- Small buffers, of which the first is smaller still.
sizes :: Gen (Int, Int)
sizes = (,) <$> choose (1, 40) <*> choose (1, 80)

run :: (Int, Int) -> Builder -> L.ByteString
run (first, later) = toLazyByteStringWith (strategy first later) L.empty
  where
    strategy = if even first then untrimmedStrategy else safeStrategy

escapings :: [(String, P.BoundedPrim Word8, BP.BoundedPrim Word8)]
escapings =
  [ ("html", html, htmlTheirs),
    ("nothing", P.emptyB, BP.emptyB),
    ("copy", P.liftFixedToBounded P.word8, BP.liftFixedToBounded BP.word8),
    ( "hexadecimal",
      P.liftFixedToBounded (fromIntegral P.>$< P.word32HexFixed),
      BP.liftFixedToBounded (fromIntegral BP.>$< BP.word32HexFixed)
    )
  ]

-- Both are the same but for the library.

html :: P.BoundedPrim Word8
html =
  P.condB (== 60) (four (38, (108, (116, 59)))) $
    P.condB (== 38) (five (38, (97, (109, (112, 59))))) (P.liftFixedToBounded P.word8)
  where
    four x = P.liftFixedToBounded (const x P.>$< w P.>*< w P.>*< w P.>*< w)
    five x = P.liftFixedToBounded (const x P.>$< w P.>*< w P.>*< w P.>*< w P.>*< w)
    w = P.word8

htmlTheirs :: BP.BoundedPrim Word8
htmlTheirs =
  BP.condB (== 60) (four (38, (108, (116, 59)))) $
    BP.condB (== 38) (five (38, (97, (109, (112, 59))))) (BP.liftFixedToBounded BP.word8)
  where
    four x = BP.liftFixedToBounded (const x BP.>$< w BP.>*< w BP.>*< w BP.>*< w)
    five x = BP.liftFixedToBounded (const x BP.>$< w BP.>*< w BP.>*< w BP.>*< w BP.>*< w)
    w = BP.word8
